import fc from 'fast-check'
import { chatPromptShape } from '../surfaces/chat/chat-prompt-shape.ts'
import { promptTokensUpperBound } from './prompt-upper-bound.ts'

const IMAGE_TOKENS_MAX = 50_000

function bound(body: { messages: readonly unknown[]; tools?: readonly unknown[] }): number {
  return promptTokensUpperBound({
    bodyBytes: Buffer.byteLength(JSON.stringify(body)),
    shape: chatPromptShape({ messages: body.messages, tools: body.tools ?? [] }),
    imageTokensMax: IMAGE_TOKENS_MAX,
  })
}

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const textPart = (text: string) => ({ type: 'text', text })
const textOf = (part: string | { text: string }) => (typeof part === 'string' ? part : part.text)
const image = (url: unknown) => ({ type: 'image_url', image_url: { url } })

describe('promptTokensUpperBound', () => {
  it('is at least one token per byte of text, and includes the chat template of each message', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    const content = fc.oneof(text, fc.array(text.map(textPart), { maxLength: 5 }))
    const message = fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content })
    const tool = fc.record({ type: fc.constant('function'), function: fc.record({ name: text, description: text }) })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), fc.array(tool, { maxLength: 3 }), (messages, tools) => {
        const texts = messages.flatMap(({ role, content: parts }) => [role, ...[parts].flat().map(textOf)])
        const definitions = tools.flatMap((each) => [each.function.name, each.function.description])
        const templateTokens = 5 * messages.length
        return bound({ messages, tools }) >= Buffer.byteLength([...texts, ...definitions].join('')) + templateTokens
      }),
    )
  })

  it('is close to the bytes of a plain text', () => {
    expect(bound(user('x'.repeat(10_000)))).toBeLessThan(10_500)
  })

  it('counts an image as a fixed number of tokens, whatever its bytes', () => {
    const small = bound(user([image('data:image/png;base64,AAAA')]))
    const large = bound(user([image(`data:image/png;base64,${'A'.repeat(5_000_000)}`)]))
    expect(large).toBe(small)
    expect(small).toBeGreaterThan(IMAGE_TOKENS_MAX)
    expect(small).toBeLessThan(IMAGE_TOKENS_MAX + 500)
  })

  it('counts every image, linked or embedded, in either format', () => {
    const images = [
      image('https://example.com/a.png'),
      image('DATA:image/jpeg;base64,AAAA'),
      { type: 'image_url', image_url: 'http://example.com/b.png' },
    ]
    expect(bound(user(images))).toBeGreaterThan(3 * IMAGE_TOKENS_MAX)
  })

  it('never lets an image lower the bound of the text beside it', () => {
    const text = 'x'.repeat(100_000)
    const both = bound(user([{ type: 'text', text }, image(`data:image/png;base64,${'A'.repeat(1_000_000)}`)]))
    expect(both).toBeGreaterThan(text.length + IMAGE_TOKENS_MAX)
  })

  it.each([
    ['a file by id', { type: 'file', file: { file_id: 'file-1' } }],
    ['a document', { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }],
    ['a document posing as an image', image('data:application/pdf;base64,AAAA')],
    ['an image by other means', image('gs://bucket/a.png')],
    ['an image without a URL', { type: 'image_url' }],
    ['a video', { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }],
    ['a part of an unknown kind', { type: 'hologram' }],
    ['no part at all', null],
  ])('is bounded only by the context window for %s', (_, part) => {
    expect(bound(user([part]))).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('is bounded only by the context window for earlier audio that is only referred to', () => {
    expect(bound({ messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] })).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('accepts messages of any shape', () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), (messages) => {
        const tokens = promptTokensUpperBound({
          bodyBytes: 10,
          shape: chatPromptShape({ messages, tools: [] }),
          imageTokensMax: 1,
        })
        return Number.isSafeInteger(tokens) && tokens >= 10
      }),
    )
  })

  it('does not read the text again', () => {
    const part = {
      type: 'text',
      get text(): string {
        throw new Error('the text was read')
      },
    }
    const messages = [{ role: 'user', content: [part] }]
    expect(
      promptTokensUpperBound({
        bodyBytes: 100,
        shape: chatPromptShape({ messages, tools: [] }),
        imageTokensMax: 1,
      }),
    ).toBeGreaterThan(100)
  })
})
