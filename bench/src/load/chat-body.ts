/** A model of a fleet whose simulated provider is the scripted upstream. All targets receive the same bytes. */
const model = 'sim/echo'

const sentence = 'The quick brown fox said "no" to the lazy dog.\n'

/** The body of a chat request with a prompt of this many bytes. */
export function chatBody({ promptBytes, stream }: { promptBytes: number; stream: boolean }): string {
  const content = sentence.repeat(Math.ceil(promptBytes / sentence.length)).slice(0, promptBytes)
  const options = stream ? { stream: true, stream_options: { include_usage: true } } : {}
  return JSON.stringify({ model, ...options, messages: [{ role: 'user', content }] })
}
