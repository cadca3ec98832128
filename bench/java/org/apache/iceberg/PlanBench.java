package org.apache.iceberg;

import java.io.*;
import java.nio.file.Paths;
import java.util.*;
import java.util.concurrent.*;
import org.apache.iceberg.expressions.*;
import org.apache.iceberg.io.CloseableIterable;

/** PlanBench TABLE QUERY THREADS: one plan, from the metadata file on; prints a line of JSON: files, rows, planning_ms. */
public final class PlanBench {
  static Expression query(Properties p, char q) {
    switch (q) {
      case 'a': return Expressions.alwaysTrue();
      case 'b': return Expressions.and(
          Expressions.greaterThanOrEqual("ts", Long.parseLong(p.getProperty("b.ts_lo"))),
          Expressions.lessThan("ts", Long.parseLong(p.getProperty("b.ts_hi"))));
      case 'c': return Expressions.and(
          Expressions.greaterThanOrEqual("seq", Long.parseLong(p.getProperty("c.seq_lo"))),
          Expressions.lessThanOrEqual("seq", Long.parseLong(p.getProperty("c.seq_hi"))));
      case 'd': return Expressions.equal("id", Long.parseLong(p.getProperty("d.id")));
      case 'e': {
        List<Long> in = new ArrayList<>();
        for (String s : p.getProperty("e.in").split(",")) in.add(Long.parseLong(s));
        return Expressions.and(
            Expressions.and(
                Expressions.greaterThanOrEqual("ts", Long.parseLong(p.getProperty("e.ts_lo"))),
                Expressions.lessThan("ts", Long.parseLong(p.getProperty("e.ts_hi")))),
            Expressions.or(Expressions.in("seq", in), Expressions.startsWith("name", p.getProperty("e.prefix"))));
      }
      case 'f': return Expressions.greaterThanOrEqual("c_int", 0);
      default: throw new IllegalArgumentException("query " + q);
    }
  }

  public static void main(String[] args) throws Exception {
    int threads = Integer.parseInt(args[2]);
    Properties p = new Properties();
    try (Reader r = new FileReader(Paths.get(args[0], "queries.properties").toFile())) {
      p.load(r);
    }
    ExecutorService pool = threads == 1 ? null : Executors.newFixedThreadPool(threads, r -> {
      Thread t = new Thread(r);
      t.setDaemon(true);
      return t;
    });
    LocalFileIO io = new LocalFileIO(Map.of());
    long start = System.nanoTime(), files = 0, rows = 0;
    String location = "file://" + Paths.get(args[0]).toAbsolutePath() + "/metadata/v1.metadata.json";
    TableMetadata meta = TableMetadataParser.read(io, location);
    Table table = new BaseTable(new StaticTableOperations(meta, io), p.getProperty("name"));
    TableScan scan = table.newScan().filter(query(p, args[1].charAt(0)));
    if (pool != null) scan = scan.planWith(pool);
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      for (FileScanTask task : tasks) {
        files++;
        rows += task.file().recordCount();
      }
    }
    System.out.printf(Locale.ROOT, "{\"files\":%d,\"rows\":%d,\"planning_ms\":%.2f}%n", files, rows, (System.nanoTime() - start) / 1e6);
  }
}
