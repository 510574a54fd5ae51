/** Writes the typed events of one response, numbered from 0. */
export interface EventWriter {
  /** The frame of one event. */
  write(type: string, members: object): string
}

export function createEventWriter(): EventWriter {
  let sequence = 0
  return {
    write(type, members) {
      const frame = eventFrame(type, JSON.stringify({ type, sequence_number: sequence, ...members }))
      sequence += 1
      return frame
    },
  }
}

/** A frame of this type. @param json may hold line breaks between its tokens */
export function eventFrame(type: string, json: string): string {
  return `event: ${type}\ndata: ${json.replaceAll('\n', '\ndata: ')}\n\n`
}
