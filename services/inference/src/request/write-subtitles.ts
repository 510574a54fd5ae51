/** A part of a transcript; times are in seconds. */
export interface Segment {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Subtitles in the format of SubRip or of WebVTT. */
export function writeSubtitles(format: 'srt' | 'vtt', segments: readonly Segment[]): string {
  const point = format === 'srt' ? ',' : '.'
  const blocks = segments.map(({ start, end, text }, index) => {
    const number = format === 'srt' ? `${index + 1}\n` : ''
    return `${number}${timeOf(start, point)} --> ${timeOf(end, point)}\n${text.trim()}\n\n`
  })
  return `${format === 'vtt' ? 'WEBVTT\n\n' : ''}${blocks.join('')}`
}

function timeOf(seconds: number, point: string): string {
  const ms = Math.round(Math.max(0, seconds) * 1_000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const clock = [two(ms / 3_600_000), two((ms / 60_000) % 60), two((ms / 1_000) % 60)].join(':')
  return `${clock}${point}${String(ms % 1_000).padStart(3, '0')}`
}
