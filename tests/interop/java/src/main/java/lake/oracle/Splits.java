package lake.oracle;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.CombinedScanTask;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileMetadata;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RowDelta;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.hadoop.HadoopTables;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.util.PropertyUtil;
import org.apache.iceberg.util.TableScanUtil;

/** Makes tables of files that do not exist, with all kinds of sizes, offsets and deletes, and cuts them into scan tasks. */
final class Splits {
  private static final long MIB = 1 << 20;
  private final Random random;

  private Splits(long seed) {
    random = new Random(seed);
  }

  static ObjectNode run(String folder, long seed) throws IOException {
    Splits s = new Splits(seed);
    Table table = s.table(folder);
    ObjectNode out = Json.obj().put("table", folder);
    ArrayNode cases = out.putArray("cases");
    long[] sizes = {0, 1 + s.random.nextInt(1000), 16 * MIB, 128 * MIB, 1024 * MIB};
    for (long size : sizes) {
      if (size == 0 || size > 1000 || s.random.nextBoolean()) {
        // files are up to 2 GiB: small splits would be millions
        cases.add(split(table, size == 0 || size > 1000 ? size : size * MIB / 8));
      }
    }
    return out;
  }

  private Table table(String folder) {
    Schema schema = new Schema(Types.NestedField.required(1, "id", Types.LongType.get()));
    HadoopTables tables = new HadoopTables(new Configuration());
    Table table = tables.create(schema, PartitionSpec.unpartitioned(), folder);
    table.updateProperties().set(TableProperties.FORMAT_VERSION, "2").commit();
    if (random.nextBoolean()) {
      table.updateProperties()
          .set(TableProperties.SPLIT_SIZE, String.valueOf((1 + random.nextInt(200)) * MIB))
          .set(TableProperties.SPLIT_LOOKBACK, String.valueOf(1 + random.nextInt(12)))
          .set(TableProperties.SPLIT_OPEN_FILE_COST, String.valueOf(random.nextInt(8) * MIB))
          .commit();
    }
    List<DataFile> files = new ArrayList<>();
    for (int commit = 0, n = 0; commit < 3; commit++) {
      AppendFiles append = table.newFastAppend();
      for (int i = random.nextInt(40); i >= 0; i--, n++) {
        files.add(file(folder, n));
        append.appendFile(files.get(n));
      }
      append.commit();
    }
    if (random.nextBoolean()) {
      deletes(table, folder, files);
    }
    return table;
  }

  private DataFile file(String folder, int n) {
    long size = 1 + (random.nextInt(4) == 0 ? random.nextInt(2000) : random.nextLong(1, 300)) * MIB / (1 + random.nextInt(64));
    String format = List.of("parquet", "parquet", "parquet", "avro", "orc").get(random.nextInt(5));
    DataFiles.Builder file =
        DataFiles.builder(PartitionSpec.unpartitioned())
            .withPath(folder + "/data/" + n + "." + format)
            .withFormat(format)
            .withFileSizeInBytes(size)
            .withRecordCount(1 + random.nextInt(1000000));
    if (random.nextInt(4) > 0) {
      List<Long> offsets = new ArrayList<>();
      for (long at = 4; at < size; at += 1 + random.nextLong(1, 64) * MIB) {
        offsets.add(at);
      }
      int spoil = random.nextInt(8);
      if (spoil == 0) {
        offsets.add(size);
      } else if (spoil == 1 && offsets.size() > 1) {
        offsets.add(1, offsets.get(0));
      } else if (spoil == 2 && offsets.size() > 1) {
        offsets.add(offsets.remove(0));
      }
      file.withSplitOffsets(offsets);
    }
    return file.build();
  }

  private void deletes(Table table, String folder, List<DataFile> files) {
    RowDelta delta = table.newRowDelta();
    for (int i = random.nextInt(6); i >= 0; i--) {
      FileMetadata.Builder delete =
          FileMetadata.deleteFileBuilder(PartitionSpec.unpartitioned())
              .withPath(folder + "/data/delete-" + i + ".parquet")
              .withFileSizeInBytes(random.nextLong(1, 40) * MIB)
              .withFormat("parquet")
              .withRecordCount(10);
      if (random.nextInt(3) == 0) {
        delete.ofEqualityDeletes(1);
      } else {
        DataFile file = files.get(random.nextInt(files.size()));
        delete.ofPositionDeletes().withReferencedDataFile(file.location());
      }
      delta.addDeletes(delete.build());
    }
    delta.commit();
  }

  /** Files in the order of the manifests: the library's own may depend on which thread was faster. */
  private static List<FileScanTask> files(Table table) throws IOException {
    Map<String, Integer> order = new HashMap<>();
    for (ManifestFile manifest : table.currentSnapshot().dataManifests(table.io())) {
      try (ManifestReader<DataFile> reader = ManifestFiles.read(manifest, table.io(), table.specs())) {
        for (DataFile file : reader) {
          order.put(file.location(), order.size());
        }
      }
    }
    List<FileScanTask> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> planned = table.newScan().planFiles()) {
      planned.forEach(files::add);
    }
    files.sort(Comparator.comparing(task -> order.get(task.file().location())));
    return files;
  }

  private static long property(Table table, String name, long otherwise) {
    return PropertyUtil.propertyAsLong(table.properties(), name, otherwise);
  }

  /** Size 0: what the table's properties say. */
  private static ObjectNode split(Table table, long given) throws IOException {
    long size = given > 0 ? given : property(table, TableProperties.SPLIT_SIZE, TableProperties.SPLIT_SIZE_DEFAULT);
    long lookback = property(table, TableProperties.SPLIT_LOOKBACK, TableProperties.SPLIT_LOOKBACK_DEFAULT);
    long cost = property(table, TableProperties.SPLIT_OPEN_FILE_COST, TableProperties.SPLIT_OPEN_FILE_COST_DEFAULT);
    CloseableIterable<FileScanTask> splits =
        TableScanUtil.splitFiles(CloseableIterable.withNoopClose(files(table)), size);
    ObjectNode out = Json.obj().put("size", given);
    ArrayNode groups = out.putArray("scan-tasks");
    try (CloseableIterable<CombinedScanTask> tasks = TableScanUtil.planTasks(splits, size, (int) lookback, cost)) {
      for (CombinedScanTask task : tasks) {
        ArrayNode group = groups.addArray();
        for (FileScanTask file : task.files()) {
          group.addArray().add(file.file().location()).add(file.start()).add(file.length());
        }
      }
    }
    return out;
  }
}
