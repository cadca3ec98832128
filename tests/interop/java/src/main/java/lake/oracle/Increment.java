package lake.oracle;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.TreeSet;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;

/** Plans what was appended between each two snapshots of a table. */
final class Increment {
  private Increment() {}

  static ObjectNode run(LakeFileIO io, String metadata) throws IOException {
    Table table = new BaseTable(new StaticTableOperations(metadata, io), "corpus");
    ObjectNode out = Json.obj().put("metadata", metadata);
    ArrayNode cases = out.putArray("cases");
    TreeSet<Long> ids = new TreeSet<>();
    for (Snapshot s : table.snapshots()) {
      ids.add(s.snapshotId());
      if (s.parentId() != null) {
        ids.add(s.parentId()); // it may have expired
      }
    }
    for (Snapshot to : table.snapshots()) {
      for (long from : ids) {
        if (from != to.snapshotId()) {
          cases.add(plan(table, from, to.snapshotId()));
        }
      }
    }
    return out;
  }

  private static ObjectNode plan(Table table, long from, long to) throws IOException {
    ObjectNode out = Json.obj().put("from", from).put("to", to);
    TreeSet<String> files = new TreeSet<>();
    try (CloseableIterable<FileScanTask> tasks =
        table.newIncrementalAppendScan().fromSnapshotExclusive(from).toSnapshot(to).planFiles()) {
      for (FileScanTask task : tasks) {
        if (!task.deletes().isEmpty() || !files.add(task.file().location())) {
          throw new IllegalStateException("deletes, or a file twice: " + task.file().location());
        }
      }
    } catch (IllegalArgumentException e) {
      return out.put("error", e.getMessage());
    }
    out.set("files", Json.value(new java.util.ArrayList<>(files)));
    return out;
  }
}
