import { chatPromptShape } from '../surfaces/chat/chat-prompt-shape.ts'
import { estimateUsage } from './estimate-usage.ts'

interface SeenChat {
  readonly bodyBytes: number
  readonly messages?: readonly unknown[]
  readonly deltas: number
  readonly characters: number
}

const seen = ({ bodyBytes, messages = [], deltas, characters }: SeenChat) => ({
  bodyBytes,
  prompt: chatPromptShape({ messages, tools: [] }),
  pieces: deltas,
  characters,
  hiddenTokens: 0,
  streamed: true,
  owesPrompt: false,
})

describe('estimateUsage', () => {
  it('counts nothing, not even the prompt, when nothing was generated', () => {
    expect(estimateUsage(seen({ bodyBytes: 4_000, deltas: 0, characters: 0 }))).toMatchObject({
      promptTokens: 0,
      completionTokens: 0,
    })
  })

  it('counts hidden reasoning, and a prompt that is owed', () => {
    const nothing = seen({ bodyBytes: 4_000, deltas: 0, characters: 0 })
    expect(estimateUsage({ ...nothing, owesPrompt: true })).toMatchObject({ promptTokens: 1_000, completionTokens: 0 })
    expect(estimateUsage({ ...nothing, hiddenTokens: 2.5 })).toMatchObject({ promptTokens: 1_000, completionTokens: 3 })
  })

  it('counts every streamed piece as at least one token, and large pieces by their length', () => {
    expect(estimateUsage(seen({ bodyBytes: 9, deltas: 5, characters: 4 }))).toMatchObject({
      promptTokens: 3,
      completionTokens: 5,
    })
    expect(estimateUsage(seen({ bodyBytes: 9, deltas: 1, characters: 400 })).completionTokens).toBe(100)
  })

  it('counts an image as a fixed number of tokens, not by its bytes', () => {
    const url = `data:image/png;base64,${'A'.repeat(4_000_000)}`
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url } },
          { type: 'text', text: 'x' },
        ],
      },
    ]
    const bodyBytes = Buffer.byteLength(JSON.stringify({ messages }))
    const { promptTokens } = estimateUsage(seen({ bodyBytes, messages, deltas: 4, characters: 16 }))
    expect(promptTokens).toBeLessThan(1_100)
    expect(promptTokens).toBeGreaterThan(1_000)
  })

  it('accepts messages of any shape', () => {
    const messages = [null, 7, 'x', { content: null }, { content: [null, 7, { image_url: null }, { file: {} }] }]
    expect(estimateUsage(seen({ bodyBytes: 40, messages, deltas: 1, characters: 1 })).promptTokens).toBe(2_010)
  })
})
