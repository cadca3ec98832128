/* The code that protoc-c makes of orc.proto. Of its functions only the descriptors are used: the library is not linked
   but loaded (wire/orc.c), so what the generated functions call may be missing. */
#include <protobuf-c/protobuf-c.h>

#pragma weak protobuf_c_message_get_packed_size
#pragma weak protobuf_c_message_pack
#pragma weak protobuf_c_message_pack_to_buffer
#pragma weak protobuf_c_message_unpack
#pragma weak protobuf_c_message_free_unpacked

#include "wire/orc.pb-c.c"
