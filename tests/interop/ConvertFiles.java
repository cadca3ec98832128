import java.io.File;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.Files;
import org.apache.iceberg.Metrics;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.avro.Avro;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.avro.DataWriter;
import org.apache.iceberg.data.avro.PlannedDataReader;
import org.apache.iceberg.data.orc.GenericOrcWriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.orc.ORC;

/**
 * Reads an Avro file with the official library and writes its rows again: SCHEMA.json IN.avro OUT.avro|OUT.orc [KEY=VALUE]... in
 * groups that end with "--". Prints for each file written its record count, split offsets and null counts as JSON. Run from source,
 * beside the oracle's libraries.
 */
public final class ConvertFiles {
  public static void main(String[] args) throws Exception {
    List<String> group = new ArrayList<>();
    for (String arg : args) {
      if (!arg.equals("--")) {
        group.add(arg);
        continue;
      }
      convert(group);
      group.clear();
    }
    System.exit(0);
  }

  private static FileAppender<Record> appender(Schema schema, String path, List<String> properties) throws Exception {
    OutputFile out = Files.localOutput(new File(path));
    if (path.endsWith(".orc")) {
      ORC.WriteBuilder b = ORC.write(out).schema(schema).createWriterFunc(GenericOrcWriter::buildWriter).overwrite();
      for (String p : properties) {
        b.set(p.substring(0, p.indexOf('=')), p.substring(p.indexOf('=') + 1));
      }
      return b.build();
    }
    Avro.WriteBuilder b = Avro.write(out).schema(schema).createWriterFunc(DataWriter::create).overwrite();
    for (String p : properties) {
      b.set(p.substring(0, p.indexOf('=')), p.substring(p.indexOf('=') + 1));
    }
    return b.build();
  }

  private static void convert(List<String> args) throws Exception {
    Schema schema = SchemaParser.fromJson(java.nio.file.Files.readString(Path.of(args.get(0)), StandardCharsets.UTF_8));
    FileAppender<Record> out = appender(schema, args.get(2), args.subList(3, args.size()));
    try (CloseableIterable<Record> rows =
            Avro.read(Files.localInput(args.get(1))).project(schema).createResolvingReader(PlannedDataReader::create).build();
        FileAppender<Record> closing = out) {
      for (Record row : rows) {
        out.add(row);
      }
    }
    Metrics m = out.metrics();
    StringBuilder text = new StringBuilder("{\"records\": " + m.recordCount() + ", \"splits\": " + out.splitOffsets());
    text.append(", \"values\": {").append(counts(m.valueCounts())).append("}, \"nulls\": {").append(counts(m.nullValueCounts()));
    text.append("}, \"sizes\": {").append(counts(m.columnSizes()));
    text.append("}, \"lower\": {").append(bounds(m.lowerBounds())).append("}, \"upper\": {").append(bounds(m.upperBounds()));
    System.out.println(text.append("}}"));
  }

  private static String counts(Map<Integer, Long> map) {
    List<String> out = new ArrayList<>();
    if (map != null) {
      map.forEach((k, v) -> out.add("\"" + k + "\": " + v));
    }
    return String.join(", ", out);
  }

  private static String bounds(Map<Integer, ByteBuffer> map) {
    List<String> out = new ArrayList<>();
    if (map != null) {
      map.forEach((k, v) -> out.add("\"" + k + "\": \"" + hex(v) + "\""));
    }
    return String.join(", ", out);
  }

  private static String hex(ByteBuffer b) {
    StringBuilder text = new StringBuilder();
    for (int i = b.position(); i < b.limit(); i++) {
      text.append(String.format("%02x", b.get(i)));
    }
    return text.toString();
  }
}
