# Embeds the viewer's page in the program: the files that web/CMakeLists.txt makes. Where there is none, the program
# is built without a page, and says so.
set(embed ${CMAKE_SOURCE_DIR}/scripts/embed_web.py)
set(assets ${CMAKE_CURRENT_BINARY_DIR}/assets_data.cpp)
add_custom_command(OUTPUT ${assets}
    COMMAND Python3::Interpreter -B ${embed} --output ${assets} ${OPSIGHT_WEB_DIR}
    DEPENDS ${embed} ${OPSIGHT_WEB_STAMP} COMMENT "Embedding the viewer's page" VERBATIM)
target_sources(opsight_server PRIVATE ${assets})
