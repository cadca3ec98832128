package lake.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Files;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SchemaParser;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;

/** Writes a Parquet data file as a table with the given properties would. */
final class WriteParquet {
  private WriteParquet() {}

  /** job: path, schema, properties (table properties), rows (arrays in the schema's order). */
  static ObjectNode run(JsonNode job) throws IOException {
    Schema schema = SchemaParser.fromJson(job.get("schema"));
    Map<String, String> properties = new TreeMap<>();
    JsonNode given = job.get("properties");
    given.fieldNames().forEachRemaining(name -> properties.put(name, given.get(name).asText()));
    FileAppender<Record> out =
        Parquet.write(Files.localOutput(new File(job.get("path").asText())))
            .schema(schema)
            .setAll(properties)
            .createWriterFunc(GenericParquetWriter::create)
            .metricsConfig(MetricsConfig.from(properties, schema, null))
            .overwrite()
            .build();
    try (FileAppender<Record> closing = out) {
      for (JsonNode row : job.get("rows")) {
        out.add(record(schema.asStruct(), row));
      }
    }
    ObjectNode told =
        Dump.metrics(
            DataFiles.builder(PartitionSpec.unpartitioned())
                .withPath(job.get("path").asText())
                .withFileSizeInBytes(out.length())
                .withMetrics(out.metrics())
                .build());
    told.set("split_offsets", Json.value(out.splitOffsets()));
    return told;
  }

  private static Record record(Types.StructType type, JsonNode row) {
    Record out = GenericRecord.create(type);
    for (int i = 0; i < type.fields().size(); i++) {
      out.set(i, value(type.fields().get(i).type(), row.get(i)));
    }
    return out;
  }

  private static byte[] bytes(JsonNode v) {
    return HexFormat.of().parseHex(v.asText());
  }

  private static LocalDateTime time(long units, long perSecond) {
    long nanos = Math.floorMod(units, perSecond) * (1_000_000_000L / perSecond);
    return LocalDateTime.ofEpochSecond(Math.floorDiv(units, perSecond), (int) nanos, ZoneOffset.UTC);
  }

  /** Floats come as their bits, decimals as unscaled text, binary as hex, temporal values as numbers. */
  private static Object value(Type type, JsonNode v) {
    if (v.isNull()) {
      return null;
    }
    switch (type.typeId()) {
      case BOOLEAN:
        return v.asBoolean();
      case INTEGER:
        return v.intValue();
      case LONG:
        return v.longValue();
      case FLOAT:
        return ByteBuffer.wrap(bytes(v)).getFloat();
      case DOUBLE:
        return ByteBuffer.wrap(bytes(v)).getDouble();
      case DECIMAL:
        return new BigDecimal(new BigInteger(v.asText()), ((Types.DecimalType) type).scale());
      case DATE:
        return LocalDate.ofEpochDay(v.longValue());
      case TIME:
        return LocalTime.ofNanoOfDay(v.longValue() * 1000);
      case TIMESTAMP:
        LocalDateTime t = time(v.longValue(), 1_000_000);
        return ((Types.TimestampType) type).shouldAdjustToUTC() ? t.atOffset(ZoneOffset.UTC) : t;
      case TIMESTAMP_NANO:
        LocalDateTime n = time(v.longValue(), 1_000_000_000);
        return ((Types.TimestampNanoType) type).shouldAdjustToUTC() ? n.atOffset(ZoneOffset.UTC) : n;
      case STRING:
        return v.asText();
      case UUID:
        ByteBuffer b = ByteBuffer.wrap(bytes(v));
        return new UUID(b.getLong(), b.getLong());
      case FIXED:
        return bytes(v);
      case BINARY:
        return ByteBuffer.wrap(bytes(v));
      case STRUCT:
        return record(type.asStructType(), v);
      case LIST:
        List<Object> list = new ArrayList<>();
        v.forEach(e -> list.add(value(type.asListType().elementType(), e)));
        return list;
      case MAP:
        Map<Object, Object> map = new LinkedHashMap<>();
        Types.MapType m = type.asMapType();
        v.forEach(e -> map.put(value(m.keyType(), e.get(0)), value(m.valueType(), e.get(1))));
        return map;
      default:
        throw new IllegalArgumentException("no values of type " + type);
    }
  }
}
