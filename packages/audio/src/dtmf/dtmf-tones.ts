/** The keys of a telephone, row by row. */
export const dtmfKeys = '123A456B789C*0#D'
export const rowHertz = [697, 770, 852, 941] as const
export const columnHertz = [1_209, 1_336, 1_477, 1_633] as const

const amplitude = 8_000

/**
 * The sound of a key: one tone of its row and one of its column (ITU-T Q.23).
 *
 * @param key one of {@link dtmfKeys}
 * @throws RangeError for another key
 */
export function dtmfTone(
  key: string,
  { durationMs, sampleRate }: { readonly durationMs: number; readonly sampleRate: number },
): Int16Array {
  const place = dtmfKeys.indexOf(key)
  if (key.length !== 1 || place < 0) throw new RangeError(`key must be one of ${dtmfKeys}, got ${key}`)
  const row = rowHertz[Math.floor(place / 4)] ?? 0
  const column = columnHertz[place % 4] ?? 0
  return Int16Array.from({ length: Math.round((durationMs * sampleRate) / 1000) }, (_, i) => {
    const angle = (2 * Math.PI * i) / sampleRate
    return Math.round(amplitude * (Math.sin(angle * row) + Math.sin(angle * column)))
  })
}
