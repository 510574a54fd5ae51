import fc from 'fast-check'
import { silentSound, soundSeconds } from './sound-seconds.ts'

describe('soundSeconds', () => {
  it('is exact for a WAV file, and rounded up', () => {
    expect(soundSeconds(silentSound(7))).toEqual({ most: 7, usual: 7 })
    expect(soundSeconds(Buffer.concat([silentSound(7), Buffer.alloc(1)])).most).toBe(8)
  })

  it('reads the format behind other parts of the file', () => {
    const sound = silentSound(3)
    const other = Buffer.from('LIST\u0003\0\0\0abc\0', 'latin1')
    const moved = Buffer.concat([sound.subarray(0, 12), other, sound.subarray(12)])
    expect(soundSeconds(moved)).toEqual({ most: 3, usual: 3 })
  })

  it('follows the slowest of several formats, because some players read the first one and some the last', () => {
    const sound = silentSound(60)
    const fast = Buffer.from(sound.subarray(12, 36))
    fast.writeUInt32LE(192_000, 12)
    fast.writeUInt16LE(32, 22)
    for (const place of [12, 36]) {
      const both = Buffer.concat([sound.subarray(0, place), fast, sound.subarray(place)])
      expect(soundSeconds(both)).toEqual({ most: 60, usual: 60 })
    }
  })

  it('bounds any other sound by its bytes', () => {
    expect(soundSeconds(Buffer.alloc(32_001))).toEqual({ most: 65, usual: 3 })
    const compressed = silentSound(3)
    compressed.writeUInt16LE(85, 20) // MP3 in a WAV file
    expect(soundSeconds(compressed).most).toBe(Math.ceil(compressed.length / 500))
  })

  it('never throws, and never has less at most than usually', () => {
    const wav = fc.uint8Array({ maxLength: 80 }).map((rest) => Buffer.concat([Buffer.from('RIFF0000WAVEfmt '), rest]))
    fc.assert(
      fc.property(
        fc.oneof(
          wav,
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        ),
        (sound) => {
          const { most, usual } = soundSeconds(sound)
          expect(most >= usual && usual >= 0 && Number.isInteger(most)).toBe(true)
        },
      ),
    )
  })
})
