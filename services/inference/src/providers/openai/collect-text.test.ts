import { createTextCollector } from './collect-text.ts'

const piece = (
  kind: 'content' | 'reasoning' | 'refusal' | 'tool_id' | 'tool_name' | 'tool_arguments',
  text: string,
  call = 0,
) => ({
  kind,
  text,
  call,
})

describe('createTextCollector', () => {
  it('puts choices and tool calls together in the order of their indexes', () => {
    const collector = createTextCollector(1_000)
    collector.add(1, piece('content', 'second'))
    collector.add(0, piece('tool_id', 'call_b', 1))
    collector.add(0, piece('tool_name', 'g', 1))
    collector.add(0, piece('reasoning', 'hm'))
    collector.add(0, piece('tool_id', 'call_a', 0))
    collector.add(0, piece('tool_name', 'f', 0))
    collector.add(0, piece('tool_arguments', '{"a":', 0))
    collector.add(0, piece('tool_arguments', '1}', 0))
    expect(collector.choices()).toEqual([
      {
        index: 0,
        content: '',
        reasoning: 'hm',
        refusal: '',
        toolCalls: [
          { id: 'call_a', name: 'f', arguments: '{"a":1}' },
          { id: 'call_b', name: 'g', arguments: '' },
        ],
      },
      { index: 1, content: 'second', reasoning: '', refusal: '', toolCalls: [] },
    ])
    expect(collector.isCut()).toBe(false)
  })

  it('keeps every piece of a long answer, in order', () => {
    const collector = createTextCollector(100_000)
    const pieces = Array.from({ length: 10_000 }, (_, index) => `${index} `)
    for (const text of pieces) collector.add(0, piece('content', text))
    expect(collector.choices()[0]?.content).toBe(pieces.join(''))
  })

  it('keeps as many characters as allowed over all choices, and says that it cut', () => {
    const collector = createTextCollector(10)
    collector.add(0, piece('content', 'abcdef'))
    collector.add(1, piece('content', 'ghijkl'))
    collector.add(2, piece('content', 'mno'))
    expect(collector.choices().map(({ content }) => content)).toEqual(['abcdef', 'ghij'])
    expect(collector.isCut()).toBe(true)
  })
})
