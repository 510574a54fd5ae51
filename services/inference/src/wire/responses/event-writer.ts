/** Writes the typed events of one response, numbered from 0. */
export function createEventWriter() {
  let sequence = 0
  return {
    /** Writes the frame of one event. */
    write(type: string, members: object): string {
      const frame = eventFrame(type, JSON.stringify({ type, sequence_number: sequence, ...members }))
      sequence += 1
      return frame
    },
  }
}

/**
 * Writes a frame of this type.
 *
 * @param json may contain line breaks between its tokens
 */
export function eventFrame(type: string, json: string): string {
  return `event: ${type}\ndata: ${json.replaceAll('\n', '\ndata: ')}\n\n`
}
