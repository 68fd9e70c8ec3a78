# Embeds the viewer's page in the program: the files that web/CMakeLists.txt makes. Where there is none, the program
# is built without a page, and says so. The sanitizers' tests need none.
set(embed ${CMAKE_SOURCE_DIR}/scripts/embed_web.py)
set(assets ${CMAKE_CURRENT_BINARY_DIR}/assets_data.cpp)
set(page ${OPSIGHT_WEB_DIR})
set(page_stamp ${OPSIGHT_WEB_STAMP})
if(OPSIGHT_SANITIZE)
    unset(page)
    unset(page_stamp)
endif()
add_custom_command(OUTPUT ${assets}
    COMMAND Python3::Interpreter -B ${embed} --output ${assets} ${page}
    DEPENDS ${embed} ${page_stamp} COMMENT "Embedding the viewer's page" VERBATIM)
target_sources(opsight_server PRIVATE ${assets})
