import type { OpenAI } from 'openai'

const subjects = [
  'glaciers',
  'harbours',
  'orchards',
  'libraries',
  'volcanoes',
  'markets',
  'rivers',
  'bridges',
  'deserts',
]
const acts = ['grow', 'shrink', 'move', 'freeze', 'flood', 'close', 'burn', 'age', 'shine', 'sink', 'split']
const places = [
  'Norway',
  'Peru',
  'Japan',
  'Kenya',
  'Canada',
  'Oman',
  'Chile',
  'Nepal',
  'Italy',
  'Fiji',
  'Ghana',
  'Iceland',
  'Laos',
]

/** A question that is like few others. */
function longQuestion(index: number): string {
  const of = (words: readonly string[]) => words[index % words.length]
  return `Why do ${of(subjects)} ${of(acts)} in ${of(places)} in the year ${1_000 + index}?`
}

/** What the program was answered. */
interface Answered {
  readonly status: number
  /** The model of the body. */
  readonly model: string
  /** The model of the header. */
  readonly served: string | null
  readonly text: string
  /** What it cost, nano-dollars. */
  readonly costNano: bigint
  /** When it was asked, milliseconds since 1970. */
  readonly askedAt: number
}

export interface AskingProgram {
  readonly answers: readonly Answered[]
  /** Resolves with the errors that it met. */
  stop(): Promise<readonly unknown[]>
}

interface Asking {
  /** What it asks, one after the other. */
  readonly question: (index: number) => string
  readonly settings: { readonly max_tokens?: number; readonly temperature?: number }
}

/** A program of the stock `openai` package that knows an alias and nothing else, and asks it one question after the other. */
export function keepAsking(
  openai: OpenAI,
  alias: string,
  { question = longQuestion, settings = {} }: Partial<Asking> = {},
): AskingProgram {
  const answers: Answered[] = []
  const failures: unknown[] = []
  let asked = 0
  let isOver = false
  const ask = async () => {
    asked += 1
    const askedAt = Date.now()
    const messages = [{ role: 'user' as const, content: question(asked) }]
    const body = { model: alias, messages, ...settings }
    const { data, response } = await openai.chat.completions.create(body).withResponse()
    answers.push({
      status: response.status,
      model: data.model,
      served: response.headers.get('x-svc-served-model'),
      text: data.choices[0]?.message.content ?? '',
      costNano: BigInt(Math.round(Number(response.headers.get('x-svc-cost-usd')) * 1e9)),
      askedAt,
    })
  }
  const run = async () => {
    while (!isOver) await ask().catch((error: unknown) => failures.push(error))
  }
  const done = run()
  return {
    answers,
    async stop() {
      isOver = true
      await done
      return failures
    },
  }
}
