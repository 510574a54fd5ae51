/**
 * Stores an answer, and deletes those answers of the workspace that expire first when all together would be larger than
 * the maximum. If a hundred deletions are not enough, it stores nothing.
 *
 * KEYS[1]: the entry. KEYS[2]: the entries of the workspace, sorted by when they expire. KEYS[3]: their sizes, and under
 * `total` the sum. ARGV: value, seconds until it expires, maximum bytes, bytes that an entry takes beside its value.
 * Returns 1 when the answer was stored.
 *
 * The sum only limits; it may be wrong. An entry that expired is counted until it is the first to be deleted, and when
 * Redis evicted the sum, counting begins again.
 */
export const putScript = `
local entry, expiries, sizes = KEYS[1], KEYS[2], KEYS[3]
local value, seconds, max_bytes = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local size = #value + tonumber(ARGV[4])
local total = tonumber(redis.call('HGET', sizes, 'total')) or 0

local function forget(key)
  total = total - (tonumber(redis.call('HGET', sizes, key)) or 0)
  redis.call('HDEL', sizes, key)
  redis.call('ZREM', expiries, key)
end

forget(entry)
for _ = 1, 100 do
  if total + size <= max_bytes then break end
  local first = redis.call('ZRANGE', expiries, 0, 0)[1]
  if first == nil then
    total = 0
    break
  end
  forget(first)
  redis.call('UNLINK', first)
end

local is_stored = total + size <= max_bytes
if is_stored then
  total = total + size
  redis.call('SET', entry, value, 'EX', seconds)
  redis.call('ZADD', expiries, redis.call('TIME')[1] + seconds, entry)
  redis.call('HSET', sizes, entry, size)
else
  redis.call('UNLINK', entry)
end
redis.call('HSET', sizes, 'total', total)
for _, key in ipairs({expiries, sizes}) do
  if redis.call('TTL', key) < seconds then redis.call('EXPIRE', key, seconds) end
end
return is_stored and 1 or 0
`
