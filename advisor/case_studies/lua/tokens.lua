-- The sources of Penlight (Debian's package lua-penlight) are read into tokens by its own lexer, and counted.
local lexer = require "pl.lexer"
local folder = "/usr/share/lua/5.4/pl/"
local names = { "utils", "List", "Map", "tablex", "stringx", "lexer", "template", "xml", "path", "pretty", "data",
  "comprehension", "func", "Date", "seq", "sip", "app", "dir", "lapp", "operator", "text", "types", "url" }
local count, length = 0, 0
for _, name in ipairs(names) do
  local file = assert(io.open(folder .. name .. ".lua"))
  local source = file:read "a"
  file:close()
  local seen = {}
  for kind, value in lexer.lua(source, {}) do
    local token = kind .. ":" .. tostring(value)
    seen[token] = (seen[token] or 0) + 1
    count = count + 1
    length = length + #token
  end
end
return string.format("%d tokens, %d bytes", count, length)
