/**
 * The UTF-16 code units of one text at a time, in memory that is used again. Reading them there takes less than half the
 * time of reading a string.
 */
export interface CodeUnits {
  /** @returns the units of the text, and a zero behind the last one. They are valid until the next call. */
  load(text: string): Uint16Array
}

/** Units that are kept in memory; a longer text gets memory of its own. */
const keptLength = 1_048_576
/** A shorter text is copied character by character, because calling the system costs more. */
const shortText = 24

export function createCodeUnits(): CodeUnits {
  let units = new Uint16Array(1_024)
  let bytes = Buffer.from(units.buffer)
  return {
    load(text) {
      const { length } = text
      if (length >= units.length) {
        const longer = new Uint16Array(2 ** Math.ceil(Math.log2(length + 1)))
        if (length >= keptLength) {
          Buffer.from(longer.buffer).write(text, 'utf16le')
          return longer
        }
        units = longer
        bytes = Buffer.from(longer.buffer)
      }
      if (length < shortText) for (let at = 0; at < length; at++) units[at] = text.charCodeAt(at)
      else bytes.write(text, 'utf16le')
      units[length] = 0
      return units
    },
  }
}
