/**
 * Draws from buckets: all drawings of a call in their order, each of them completely or not at all. The arithmetic is
 * that of token-bucket.ts.
 *
 * KEYS: the buckets of all draws. ARGV[1]: the time in ms, 0 for the clock of Redis. Then for each drawing `1` (take)
 * or `0` (correct), the number of its draws, and for each draw its limit and cost. Returns for each drawing the ms to
 * wait (0: drawn), then the parts in each of its buckets.
 *
 * A bucket is stored as `parts:ms` until it would be full, because a missing bucket counts as full.
 */
export const bucketScript = `
local now = tonumber(ARGV[1])
if now == 0 then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local held, drawn = {}, {}

local function parts_of(key, limit)
  local full = limit * 60000
  if held[key] == nil then
    local parts, at = string.match(redis.call('GET', key) or '', '^(-?%d+):(%d+)$')
    held[key] = parts and tonumber(parts) + math.max(0, now - tonumber(at)) * limit or full
  end
  held[key] = math.min(full, held[key])
  return held[key]
end

local function wait_for(parts, limit, cost)
  local needed = math.max(1, math.min(cost, limit)) * 60000
  if parts >= needed then return 0 end
  return limit > 0 and math.ceil((needed - parts) / limit) or 60000
end

local answer = {}
local key, arg = 1, 2
while arg < #ARGV do
  local takes, draws = ARGV[arg] == '1', tonumber(ARGV[arg + 1])
  arg = arg + 2
  local wait = 0
  for i = 0, draws - 1 do
    local limit, cost = tonumber(ARGV[arg + 2 * i]), tonumber(ARGV[arg + 2 * i + 1])
    local parts = parts_of(KEYS[key + i], limit)
    if takes then wait = math.max(wait, wait_for(parts, limit, cost)) end
  end
  answer[#answer + 1] = wait
  for i = 0, draws - 1 do
    local name, limit, cost = KEYS[key + i], tonumber(ARGV[arg + 2 * i]), tonumber(ARGV[arg + 2 * i + 1])
    if wait == 0 then
      held[name] = math.min(limit * 60000, held[name] - cost * 60000)
      drawn[name] = limit
    end
    answer[#answer + 1] = held[name]
  end
  key, arg = key + draws, arg + 2 * draws
end

for name, limit in pairs(drawn) do
  local missing = limit * 60000 - held[name]
  if missing > 0 and limit > 0 then
    local value = string.format('%.0f:%.0f', held[name], now)
    redis.call('SET', name, value, 'PX', string.format('%.0f', math.ceil(missing / limit) + 1000))
  else
    redis.call('DEL', name)
  end
end

return answer
`
