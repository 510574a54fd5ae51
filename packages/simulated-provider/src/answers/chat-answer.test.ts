import { isWithinBinomialBound } from '../binomial-bound.ts'
import { simulatedModel } from '../simulated-model.ts'
import { readChatRequest } from '../wire/chat-request.ts'
import type { Call } from '../wire/reply.ts'
import { answerChat } from './chat-answer.ts'
import { flawMark } from './write-answer-text.ts'

const trials = 4_000

function answers(body: Record<string, unknown>, seed = 'seed') {
  const call: Call = { seed, name: '00', model: simulatedModel(String(body.model))!, body, behaviour: null }
  return answerChat(call, readChatRequest(body))
}

const ask = (model: string, content: string, more: object = {}) =>
  answers({ model, messages: [{ role: 'user', content }], ...more })
const text = (model: string, content: string, more: object = {}) => ask(model, content, more)[0]!.content

describe('answerChat', () => {
  it.each([
    ['sim/large', 0.03],
    ['sim/medium', 0.12],
    ['sim/small', 0.3],
    ['sim/quality-0.75', 0.25],
    ['sim/quality-1', 0],
    ['sim/quality-0', 1],
  ])('%s is flawed with probability %d', (model, share) => {
    const flawed = Array.from({ length: trials }, (_, index) => text(model, `question number ${index}`)!).filter(
      (answer) => answer.includes(flawMark),
    ).length
    expect(isWithinBinomialBound(flawed, trials, share)).toBe(true)
  })

  it('samples the choices of one request independently', () => {
    const flawed = Array.from({ length: trials / 100 }, (_, index) => ask('sim/small', `question ${index}`, { n: 100 }))
      .flat()
      .filter((choice) => choice.content!.includes(flawMark)).length
    expect(isWithinBinomialBound(flawed, trials, 0.3)).toBe(true)
  })

  it('answers about the question, with words that depend on it and on the model', () => {
    const question = 'Why does copper corrode near seawater?'
    expect(text('sim/large', question)).toMatch(/copper|corrode|near|seawater/)
    const variants = Array.from({ length: 50 }, (_, index) => text('sim/large', `${question} ${index}`))
    expect(new Set(variants).size).toBeGreaterThan(45)
    expect(text('sim/large', question)).not.toBe(text('sim/medium', question))
  })

  it('depends on the seed', () => {
    const body = { model: 'sim/large', messages: [{ role: 'user', content: 'Why is the sky blue?' }] }
    expect(answers(body, 'one')).not.toEqual(answers(body, 'two'))
  })

  it('gives a prefix of its answer under a token limit, however short, flawed or not', () => {
    const whole = text('sim/quality-0', 'What is rust?')!
    const [cut] = ask('sim/quality-0', 'What is rust?', { max_tokens: 5 })
    expect(cut).toEqual({ content: whole.slice(0, 20), toolCalls: [], finishReason: 'length', tokens: 5 })
    expect(cut!.content).toContain(flawMark)
  })

  it('ends before the first stop sequence', () => {
    expect(ask('sim/echo', 'one two three four', { stop: ['four', 'three'] })).toEqual([
      { content: 'one two ', toolCalls: [], finishReason: 'stop', tokens: 2 },
    ])
  })

  it('echoes the last user message exactly', () => {
    const content = 'tabs\t"quotes" \\ 😀 \u0000 ends '
    expect(text('sim/echo', content)).toBe(content)
  })

  it('answers a json_object request with an object that still shows whether it is flawed', () => {
    const answer = text('sim/quality-0', 'Give me JSON', { response_format: { type: 'json_object' } })!
    expect(JSON.parse(answer).answer).toContain(flawMark)
  })

  it('answers a json_schema request with a value of the schema', () => {
    const schema = { type: 'object', properties: { title: { type: 'string' }, score: { type: 'integer', minimum: 4 } } }
    const format = { type: 'json_schema', json_schema: { name: 'x', schema } }
    const answer = JSON.parse(text('sim/quality-1', 'Rate it', { response_format: format })!)
    expect(answer).toEqual({ title: expect.any(String), score: 4 })
  })
})

describe('a judge that is asked for judges', () => {
  const schemaOf = (properties: object) => ({
    type: 'json_schema',
    json_schema: { name: 'answer', schema: { type: 'object', properties } },
  })
  const items = [`<<item 1 n>>\nfine\n<<end n>>`, `<<item 2 n>>\nno ${flawMark}\n<<end n>>`].join('\n\n')

  it('suggests one, and names the items with the flaw', () => {
    const answer = text('sim/judge', items, { response_format: schemaOf({ suggestions: { type: 'array' } }) })
    expect(JSON.parse(answer!).suggestions).toMatchObject([{ name: expect.any(String), evidence: [2] }])
  })

  it('writes a prompt', () => {
    const answer = text('sim/judge', 'Improve.', { response_format: schemaOf({ judge_prompt: { type: 'string' } }) })
    expect(JSON.parse(answer!)).toEqual({ judge_prompt: expect.any(String) })
  })
})

describe('a prompt with a JSON Schema that asks for JSON', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 1 } } }
  const asks = `Answer in JSON that fits this schema:\n${JSON.stringify(schema, null, 2)}\nWhich city {is} it?`

  it('is answered with JSON that fits, also with json_object', () => {
    for (const more of [{}, { response_format: { type: 'json_object' } }]) {
      expect(JSON.parse(text('sim/large', asks, more)!)).toEqual({ city: expect.any(String), people: 1 })
    }
  })

  it('is answered in a fence when it writes of one', () => {
    expect(text('sim/large', `${asks} Use a \`\`\`json block.`)).toMatch(/^```json\n\{.*\}\n```$/)
  })

  it('may have names in braces in place of texts', () => {
    const asked = 'Inputs: {question}\nOutputs are a JSON object:\n{\n  "city": "{city}",\n  "why": "{why}"\n}'
    expect(JSON.parse(text('sim/large', asked)!)).toEqual({ city: expect.any(String), why: expect.any(String) })
  })

  it('is not needed where any JSON object will do', () => {
    const asked = 'Why is the sky blue? Answer with one valid JSON object and nothing else.'
    expect(JSON.parse(text('sim/quality-0', asked)!).answer).toContain(flawMark)
  })

  it('is needed: other braces change nothing', () => {
    expect(text('sim/large', 'What is JSON {"a": 1} good for?')).not.toMatch(/^\{/)
  })
})
