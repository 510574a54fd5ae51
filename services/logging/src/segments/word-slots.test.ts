import type { FamilyState } from './family-state.ts'
import { createTextMiner } from './text-miner.fixture.ts'

type Template = (value: string) => string

/** The families of a prompt for each value, in order. */
function familiesOf(template: Template, values: readonly string[]): readonly string[] {
  const miner = createTextMiner([])
  return values.map((value) => miner.assign(template(value)).familyId)
}

const lesson: Template = (topic) =>
  `Explain the basics of ${topic} to a beginner. Use short sentences and end with a quiz.`
const topics = ['chess', 'curling', 'fencing', 'archery', 'rowing', 'judo']

describe('a word out of a few amid the same instructions', () => {
  it('makes one family from the fourth value on, which earlier values join', () => {
    const miner = createTextMiner([])
    const ids = topics.map((topic) => miner.assign(lesson(topic)).familyId)
    expect(new Set(ids.slice(0, 3)).size).toBe(3)
    expect(new Set(ids.slice(3))).toEqual(new Set([ids[0]]))
    expect(topics.map((topic) => miner.assign(lesson(topic)).familyId)).toEqual(topics.map(() => ids[0]))
  })

  it.each<[string, Template, string[]]>([
    ['several words', lesson, ['a good serve', 'chess', 'high diving', 'an even pace', 'a fair fight']],
    [
      'a word before its noun',
      (kind) => `Check the ${kind} file for secrets and old options. List what you find by line.`,
      ['helm', 'bazel', 'docker', 'cmake', 'ansible'],
    ],
    [
      'names in Japanese',
      (name) => `担当者は${name}です。症状を聞き、診断はしないでください。丁寧に答えてください。`,
      ['加藤', '渡辺', '小林', '伊藤', '山本'],
    ],
    [
      'names in Chinese',
      (name) => `你负责接待客人${name}的家人。请推荐附近的景点,不要提到价格。`,
      ['黄磊', '林静', '何俊', '马超', '唐娟'],
    ],
    [
      'names in Arabic',
      (name) => `اكتب رسالة شكر إلى ${name} من قسم المبيعات. استخدم أسلوبا رسميا.`,
      ['أحمد منصور', 'ليلى حداد', 'يوسف سالم', 'مريم خوري', 'خالد العمري'],
    ],
    [
      'words in Russian',
      (sport) => `Составь план на месяц для человека, который любит ${sport} и работает по ночам. Укажи дни отдыха.`,
      ['плавание', 'бег', 'дзюдо', 'теннис', 'бокс'],
    ],
  ])('makes one family: %s', (_name, template, values) => {
    const ids = familiesOf(template, values)
    expect(ids[4]).toBe(ids[0])
  })

  it('makes one family for two values at once', () => {
    const template = (index: number) =>
      `Explain the basics of ${topics[index]} to a ${['child', 'nurse', 'pilot', 'monk', 'baker'][index]}. Use short sentences.`
    const miner = createTextMiner([])
    const ids = [0, 1, 2, 3, 4].map((index) => miner.assign(template(index)).familyId)
    expect(ids[4]).toBe(ids[0])
  })

  it('gives another process the same families', () => {
    const [here, there] = [createTextMiner([]), createTextMiner([])]
    for (const topic of topics) {
      const { changed } = here.assign(lesson(topic))
      if (changed !== null) there.absorb(JSON.parse(JSON.stringify(changed)) as FamilyState)
    }
    for (const topic of [...topics, 'karate']) {
      expect(there.find(lesson(topic)).familyId).toBe(here.assign(lesson(topic)).familyId)
    }
  })
})

describe('applications that differ in a word', () => {
  it.each<[string, Template, string[]]>([
    ['three of them', lesson, ['chess', 'curling', 'fencing']],
    [
      'four roles',
      (role) => `You are the ${role} agent. Answer in two sentences and never promise a date.`,
      ['billing', 'shipping', 'booking', 'returns'],
    ],
    [
      'verbs',
      (verb) => `${verb} the report of the committee. Keep the figures and leave out names.`,
      ['Summarize', 'Translate', 'Criticize', 'Continue', 'Shorten', 'Extend'],
    ],
    [
      'words that change what is meant',
      (word) => `Offer a discount to ${word} customers of the shop. Ask for the number of the booking first.`,
      ['all', 'no', 'only', 'both', 'most', 'every'],
    ],
    [
      'formats',
      (format) => `Extract the sender and the date from the mail. Answer in ${format} with two fields.`,
      ['json', 'yaml', 'xml', 'csv', 'html'],
    ],
    [
      'tasks in Chinese',
      (task) => `客户发来一封很长的邮件。请${task}这封邮件,语气要礼貌。`,
      ['回复', '总结', '翻译', '归档', '转发'],
    ],
  ])('stay apart: %s', (_name, template, values) => {
    expect(new Set(familiesOf(template, values)).size).toBe(values.length)
  })

  it('stay apart when each has many prompts before the next one begins', () => {
    const miner = createTextMiner([])
    const ids = topics.map((topic) => {
      const days = Array.from({ length: 8 }, (_, day) => miner.assign(`${lesson(topic)} Today is day ${day}.`).familyId)
      return days.at(-1)
    })
    expect(new Set(ids).size).toBe(topics.length)
  })
})

describe('finding a family that may still join another one', () => {
  it('says that the answer is final after eight prompts', () => {
    const miner = createTextMiner([])
    const finals = Array.from({ length: 8 }, (_, day) => {
      const text = `${lesson('chess')} Today is day ${day}.`
      miner.assign(text)
      return miner.find(text).isFinal
    })
    expect(finals).toEqual([false, false, false, false, false, false, false, true])
  })

  it('finds the family that its family has joined', () => {
    const miner = createTextMiner([])
    const [first] = topics.map((topic) => miner.assign(lesson(topic)).familyId)
    expect(topics.map((topic) => miner.find(lesson(topic)).familyId)).toEqual(topics.map(() => first))
  })
})
