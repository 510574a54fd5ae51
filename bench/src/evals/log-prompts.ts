import { eventually } from '@ratchet/testing/eventually'
import { realQuestions } from '@ratchet/testing/real-prompts'
import { ask, type Caller } from './caller.ts'

export const promptTag = 'bench'
const atOnce = 20

/** Sends real questions in several wordings until the log has the given number of distinct prompts. */
export async function logPrompts(caller: Caller, prompts: number): Promise<void> {
  const questions = realQuestions().flatMap(({ turns }) => turns)
  const contents = Array.from({ length: prompts }, (_, index) => {
    const wording = Math.floor(index / questions.length)
    return `${questions[index % questions.length]}${wording === 0 ? '' : ` (Asked again: ${wording}.)`}`
  })
  for (let from = 0; from < prompts; from += atOnce) {
    const some = contents.slice(from, from + atOnce)
    await Promise.all(some.map((content) => askModel(caller, content)))
  }
  const logged = async () => (await ask(caller, `/logs?tag=${promptTag}&content=none&limit=1`)).total
  await eventually(async () => (await logged()) >= prompts, { withinMs: 60_000, everyMs: 200 })
}

async function askModel(caller: Caller, content: string): Promise<void> {
  const body = { model: 'sim/medium', messages: [{ role: 'user', content }] }
  await ask(caller, '/chat/completions', body, { 'x-svc-tag': promptTag })
}
