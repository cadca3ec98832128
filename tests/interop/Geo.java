import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.apache.iceberg.geospatial.GeospatialBound;

/** Prints each bound (hex) as the official library reads it: x,y,z,m, NaN where there is none. Run from source. */
public final class Geo {
  public static void main(String[] args) {
    for (String hex : args) {
      GeospatialBound b = GeospatialBound.fromByteBuffer(ByteBuffer.wrap(HexFormat.of().parseHex(hex)).order(ByteOrder.LITTLE_ENDIAN));
      System.out.println(b.x() + "," + b.y() + "," + (b.hasZ() ? b.z() : "NaN") + "," + (b.hasM() ? b.m() : "NaN"));
    }
  }
}
