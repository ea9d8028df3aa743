-- Binary trees are built, walked and forgotten; a few stay.
local function build(depth)
  if depth == 0 then return {} end
  return { build(depth - 1), build(depth - 1) }
end

local function count(tree)
  if not tree[1] then return 1 end
  return 1 + count(tree[1]) + count(tree[2])
end

local kept, sum = {}, 0
for round = 1, 240 do
  local tree = build(11)
  sum = sum + count(tree)
  if round % 80 == 0 then kept[#kept + 1] = tree end
end
return string.format("%d nodes, %d trees kept", sum, #kept)
