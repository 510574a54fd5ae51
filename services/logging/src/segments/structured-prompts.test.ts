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

describe('values of prompts in many languages', () => {
  it.each([
    ['a month with a small letter', (at: number) => `le ${at + 1} ${['mars', 'avril', 'juin', 'août'][at % 4]}`],
    ['the first of a month', (at: number) => `le 1er ${['mai', 'avril', 'juin'][at % 3]} 2026`],
    ['a month without a day', (at: number) => `en ${['mai', 'avril', 'juin'][at % 3]} 202${at}`],
    ['a person with a short title', (at: number) => ['de M. Diop', 'de Mme Caron', 'de M. Le Goff'][at % 3] ?? ''],
  ])('do not found families: %s', (_name, value) => {
    const prompt = (at: number) =>
      `Vous êtes le secrétariat de la mairie. La demande est reçue ${value(at)}. Rédigez une réponse courte et indiquez le délai.`
    expect(countFamilies([0, 1, 2, 3, 4].map(prompt)).all).toBe(1)
  })

  it('are told from the same words elsewhere', () => {
    const prompt = (planet: string) =>
      `Vous expliquez la planète ${planet} aux enfants. Donnez trois exemples et un jeu.`
    expect(countFamilies([prompt('mars'), prompt('vénus')]).all).toBe(2)
  })

  it('have one family from the fourth number in words on', () => {
    const prompt = (count: string) =>
      `Write a quiz of ${count} questions about the text. Mark the right answers with a star.`
    const miner = createTextMiner([])
    const ids = ['three', 'five', 'ten', 'twelve', 'five'].map((count) => miner.assign(prompt(count)).familyId)
    expect(new Set(ids.slice(0, 3)).size).toBe(3)
    expect(ids.slice(3)).toEqual([ids[0], ids[0]])
  })

  it('are found behind keys with leaders', () => {
    const values = ['yes', 'no', 'half', 'unknown']
    const prompt = (at: number) =>
      `Form\nCourse ........ ${['music', 'algebra', 'botany', 'logic'][at % 4]}\nPaid ....... ${values[at % 3]}\n\nDecide: accept or reject. Give the reason in one line.`
    expect(countFamilies(values.map((_, at) => prompt(at))).all).toBe(1)
  })
})

describe('the layout of prompts', () => {
  const founded = (prompts: readonly string[]) => countFamilies(prompts).all

  it('has a key in the first of two cells, and in the speaker of a chat', () => {
    const row = (at: number) =>
      `| guest | ${names[at]} |\n| paid | ${['yes', 'no', 'half'][at]} |\n\nDecide whether the guest may enter. Give one reason.`
    expect(founded([0, 1, 2].map(row))).toBe(1)
    const chat = (at: number) =>
      `Chat, oldest first:\n<${names[at]?.replace('al-', '')}> ${['where is it', 'too slow', 'no thanks'][at]}\n\nModerate the last message. Answer allow or mute.`
    expect(founded([0, 1, 2].map(chat))).toBe(1)
  })

  it('is the same whatever a heading quotes', () => {
    const search = (text: string) =>
      `Pages found for "${text}":\n\nAnswer the mechanic from the pages. Name the page after each step.`
    expect(founded(['is my car ready', 'it does not start', 'the light is on'].map(search))).toBe(1)
  })

  it.each([
    [
      'French',
      (name: string) => `Tu animes le forum du jeu ${name}. Réponds avec humour et donne une astuce aux joueurs.`,
    ],
    [
      'Portuguese',
      (name: string) => `Você é a assistente das lojas ${name}. Responda com uma frase e não indique preços.`,
    ],
  ])('is not German for %s, where a single word with a capital is a name', (_language, prompt) => {
    expect(founded(['Moonfall', 'Iron Valley', 'Glasswing'].map(prompt))).toBe(1)
  })

  it('has names that other words for "and" join', () => {
    const prompt = (name: string) =>
      `Eres el asistente del despacho ${name}. Resume el caso en una frase y no des ninguna opinión.`
    expect(founded(['Méndez', 'Roca y Vidal', 'Luna Soto'].map(prompt))).toBe(1)
  })
})
