-- Words are made, counted in a table, and sorted.
local seed = 42
local function random(below)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % below
end

local function word()
  local letters = {}
  for place = 1, 3 + random(60) do letters[place] = string.char(97 + random(26)) end
  return table.concat(letters)
end

local counts, words = {}, {}
for _ = 1, 27000 do
  local made = word()
  if not counts[made] then
    counts[made] = 0
    words[#words + 1] = made
  end
  counts[made] = counts[made] + 1
end
table.sort(words)
local length = 0
for _, each in ipairs(words) do length = length + #(each .. "=" .. counts[each]) end
return string.format("%d words, %d bytes, the first is %s", #words, length, words[1])
