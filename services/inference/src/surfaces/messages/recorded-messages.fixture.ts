import { streams } from '../../providers/anthropic/streams.fixture.ts'
import { fullStream } from '../../wire/messages/message-streams.fixture.ts'

/** Streams of Anthropic, each of a different kind. */
export const recorded = {
  everything: fullStream,
  ...streams,
  nameless: streams.tools.replaceAll(/^event: .*\n/gm, ''),
  talkative: `: hello\n\n${streams.text.replaceAll('event: ping', ': still here\n\nevent: ping')}`,
} as const

/** Equivalent layouts of the lines of a stream. */
export const layouts: Readonly<Record<string, (stream: string) => string>> = {
  'line feeds': (stream) => stream,
  'carriage returns': (stream) => stream.replaceAll('\n', '\r'),
  'both of them': (stream) => stream.replaceAll('\n', '\r\n'),
  'data over several lines': (stream) => stream.replaceAll(/^data: \{"/gm, 'data: {\ndata:   "'),
}
