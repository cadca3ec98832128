import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;

/** Prints the long column `id` of every row that each table has, sorted, a line a table. Run from source, beside the oracle's libraries. */
public final class ReadRows {
  public static void main(String[] args) throws Exception {
    for (String location : args) {
      Table table = new HadoopTables(new Configuration()).load(location);
      List<Long> ids = new ArrayList<>();
      try (CloseableIterable<Record> rows = IcebergGenerics.read(table).build()) {
        for (Record row : rows) {
          ids.add((Long) row.getField("id"));
        }
      }
      Collections.sort(ids);
      System.out.println(ids);
    }
    System.exit(0);
  }
}
