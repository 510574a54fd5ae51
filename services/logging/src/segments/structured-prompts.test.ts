import { createTextMiner } from './text-miner.fixture.ts'

/** The number of families that each list of prompts is, and of all together. */
function countFamilies(...lists: readonly (readonly string[])[]) {
  const miner = createTextMiner([])
  const found = lists.map((prompts) => new Set(prompts.map((prompt) => miner.assign(prompt).familyId)))
  return { each: found.map(({ size }) => size), all: new Set(found.flatMap((ids) => [...ids])).size }
}

const names = ['Priya Raman', 'Noor al-Sayed', 'Kai Nakamura']

it('tells prompts that are JSON apart by what they say, not by their values', () => {
  const triage = names.map((name) =>
    JSON.stringify({ task: 'Assign the ticket to one queue.', rules: ['Answer in JSON.'], user: { name } }),
  )
  const summary = names.map((name) =>
    JSON.stringify({ task: 'Summarize the ticket for a colleague.', rules: ['Answer in JSON.'], user: { name } }),
  )
  expect(countFamilies(triage, summary)).toEqual({ each: [1, 1], all: 2 })
})

it('ignores which tools a request offers', () => {
  const toolOf = (name: string, field: string) =>
    JSON.stringify({
      type: 'function',
      function: { name, description: 'Does it.', parameters: { type: 'object', properties: { [field]: {} } } },
    })
  const tools = [toolOf('hold_seat', 'seat'), toolOf('send_sms', 'text'), toolOf('list_flights', 'day')]
  const prompts = tools.map(
    (_, count) =>
      `You are a travel agent. Hold a seat only after a yes.\n<tools>\n${tools.slice(0, count + 1).join('\n')}\n</tools>`,
  )
  expect(countFamilies(prompts)).toEqual({ each: [1], all: 1 })
})

it('does not take an instruction after a value for the value, in a language whose verbs it does not know', () => {
  const head = (name: string) => `Bạn là trợ lý của một công ty du lịch. Khách hàng: ${name}.`
  const visitors = ['Lê Minh Châu', 'Bùi Gia Nam', 'Trần Thị Bình']
  const routes = visitors.map((name) => `${head(name)} Hãy gợi ý hai hành trình và nêu giá trọn gói.`)
  const refunds = visitors.map((name) => `${head(name)} Hãy xử lý yêu cầu hủy chuyến và nêu mức phí.`)
  expect(countFamilies(routes, refunds)).toEqual({ each: [1, 1], all: 2 })
})

it('ignores how the day of a request is written, and names with a prefix', () => {
  const days = ['2026-03-04, 9:12 AM', 'Tuesday, 3 March 2026, 9:30 PM', 'March 9, 2026, 11:00 AM']
  const prompts = days.map(
    (day, index) =>
      `Today is ${day}. You are Ada, the voice of Orbit Telecom. Speak in short sentences. If ${names[index]} sounds upset, offer a person.`,
  )
  expect(countFamilies(prompts)).toEqual({ each: [1], all: 1 })
})
