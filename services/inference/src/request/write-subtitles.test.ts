import { writeSubtitles } from './write-subtitles.ts'

const segments = [
  { start: 0, end: 1.5, text: ' Hello.' },
  { start: 3_661.0004, end: 3_661.9996, text: ' Goodbye.' },
]

it('writes SubRip', () => {
  expect(writeSubtitles('srt', segments)).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n2\n01:01:01,000 --> 01:01:02,000\nGoodbye.\n\n',
  )
})

it('writes WebVTT', () => {
  expect(writeSubtitles('vtt', segments.slice(0, 1))).toBe('WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello.\n\n')
})
