import { runToEnd } from '@ratchet/service-kit/timing/run-to-end'
import { exampleLine, linesOf, manyExamples, pairLine } from './examples.fixture.ts'
import { type DataOrder, prepareData } from './prepare-data.ts'
import { type ChosenLines, copyLines } from './read-lines.ts'
import { maxExampleBytes, maxExamples } from './training-source.ts'

/** A token for each character of the content. */
const countTokens = (text: string) => text.length

async function prepare(lines: readonly string[], more: Partial<DataOrder> = {}) {
  const steps = prepareData({
    method: 'supervised',
    maxSequenceLength: 10_000,
    onTooLong: 'drop',
    seed: 1,
    training: linesOf(...lines),
    validation: null,
    countTokens,
    ...more,
  })
  const prepared = runToEnd(steps)
  return { ...prepared, training: copyOf(prepared.training), validation: copyOf(prepared.validation) }
}

/** What is stored of lines. */
function copyOf(chosen: ChosenLines): readonly string[] {
  return runToEnd(copyLines(chosen)).toString().split('\n').slice(0, -1)
}

describe('prepareData', () => {
  it('trains on all examples, when there are too few to validate with', async () => {
    const lines = manyExamples(12)
    const { training, validation, report, problem, warnings } = await prepare(lines)
    expect([training, validation, problem]).toEqual([lines, [], null])
    expect(report).toMatchObject({ examples: 12, used: 12, validation: 0, invalid: 0, duplicates: 0 })
    expect(warnings).toHaveLength(1)
  })

  it('keeps a part to validate with, by conversation', async () => {
    const lines = manyExamples(150).flatMap((line, index) => [
      line,
      exampleLine(`Question ${index}?`, 'Another answer.'),
    ])
    const { training, validation, report } = await prepare(lines)
    expect(report.validation).toBeGreaterThanOrEqual(10)
    expect(report.validation).toBeLessThanOrEqual(15)
    expect(new Set([...training, ...validation])).toEqual(new Set(lines))
    const questions = new Set(validation.map(questionOf))
    expect(training.filter((line) => questions.has(questionOf(line)))).toEqual([])
  })

  it('gives the same result again', async () => {
    const lines = manyExamples(300)
    expect(await prepare(lines)).toEqual(await prepare(lines))
    expect((await prepare(lines)).validation).not.toEqual((await prepare(lines, { seed: 2 })).validation)
  })

  it('leaves out what is also validated with', async () => {
    const lines = manyExamples(15)
    const { report, training } = await prepare(lines, { validation: linesOf(...lines.slice(0, 3)) })
    expect(report).toMatchObject({ used: 12, validation: 3, leaked_from_eval: 3 })
    expect(training).toEqual(lines.slice(3))
  })

  it('counts tokens, duplicates, and examples that are too long or have nothing to learn', async () => {
    const ignored = JSON.stringify({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello', weight: 0 },
      ],
    })
    const long = exampleLine('x'.repeat(500))
    const lines = [...manyExamples(10), exampleLine('Question 1?'), ignored, long]
    const { report } = await prepare(lines, { maxSequenceLength: 300 })
    expect(report).toMatchObject({ examples: 13, used: 11, duplicates: 1, empty: 1, too_long: 1 })
    expect(report.p95_tokens).toBeLessThan(300)
    expect(report.tokens).toBeGreaterThan(11 * 60)
  })

  it('leaves out a very long example, also when long ones are to be cut', async () => {
    const lines = [exampleLine('x'.repeat(maxExampleBytes)), ...manyExamples(10)]
    const { report, training } = await prepare(lines, { onTooLong: 'truncate_left' })
    expect(report).toMatchObject({ examples: 11, used: 10, too_long: 1, invalid: 0 })
    expect(training).toEqual(lines.slice(1))
  })

  it('reads lines without what is around them', async () => {
    const lines = manyExamples(10)
    const training = Buffer.from(`\uFEFF${lines.join(' \r\n\n  ')}`)
    const prepared = await prepare([], { training })
    expect(prepared.training).toEqual(lines)
    expect((await prepare([], { training: Buffer.from(`${lines.join('\n')}\n\n{`) })).problem).toContain('Line 12')
  })

  it('keeps long examples when they are to be cut, as long as the maximum', async () => {
    const lines = [...manyExamples(10), exampleLine('x'.repeat(500))]
    const { report } = await prepare(lines, { maxSequenceLength: 300, onTooLong: 'truncate_left' })
    expect(report).toMatchObject({ used: 11, too_long: 1, p95_tokens: 300 })
  })

  it('counts both answers of a pair', async () => {
    const lines = Array.from({ length: 10 }, (_, index) => pairLine(`Question ${index}?`))
    const { report, problem } = await prepare(lines, { method: 'dpo' })
    expect(problem).toBeNull()
    const more = await prepare(
      lines.map((line) => line.replace('"No."', '"Noooooo."')),
      { method: 'dpo' },
    )
    expect(more.report.tokens - report.tokens).toBe(10 * 5)
  })

  it.each<[string, readonly string[], Partial<DataOrder>, string]>([
    ['too few examples', manyExamples(9), {}, 'at least 10'],
    ['a line that is not JSON', [...manyExamples(10), '{'], {}, 'Line 11'],
    ['pairs for supervised training', [...manyExamples(10), pairLine('Hi')], {}, 'Line 11'],
    ['conversations for DPO', manyExamples(10), { method: 'dpo' }, 'Line 1'],
    [
      'long examples that must fail',
      [...manyExamples(10), exampleLine('x'.repeat(500))],
      { maxSequenceLength: 300, onTooLong: 'fail' },
      'onTooLong',
    ],
    ['wrong data to validate with', manyExamples(10), { validation: linesOf('[]') }, 'validation data'],
    [
      'a line with a very long name',
      [...manyExamples(10), JSON.stringify({ ['x\0'.repeat(9_000)]: 1 })],
      {},
      'Line 11',
    ],
    ['a line of very many levels', [deepExample(100_000), ...manyExamples(10)], {}, 'nested too deeply'],
    ['too many examples', manyExamples(maxExamples + 1), {}, 'more than 100,000 examples'],
    [
      'too many examples to validate with',
      manyExamples(10),
      { validation: linesOf(...manyExamples(maxExamples + 1)) },
      'validation data has more than 100,000',
    ],
    [
      'a very long example that must fail',
      [...manyExamples(10), exampleLine('x'.repeat(maxExampleBytes))],
      { onTooLong: 'fail' },
      '1 examples have more than 10000 tokens or 1 MB',
    ],
    ['nothing', [], {}, '0 of 0'],
  ])('finds a problem in %s', async (_, lines, more, problem) => {
    const found = await prepare(lines, more)
    expect(found.problem).toContain(problem)
    expect(found.problem?.length).toBeLessThan(500)
  })
})

function questionOf(line: string): string {
  return (JSON.parse(line) as { messages: { content: string }[] }).messages[0]?.content ?? ''
}

function deepExample(levels: number): string {
  const [open, close] = ['{"a":'.repeat(levels), '}'.repeat(levels)]
  return exampleLine('Hi').replace('"content":"Yes."', `"content":"Yes.","name":${open}1${close}`)
}
