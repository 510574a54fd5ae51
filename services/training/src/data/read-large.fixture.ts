import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { exampleLine } from './examples.fixture.ts'
import { prepareData } from './prepare-data.ts'
import { copyLines, sha256InSteps } from './read-lines.ts'
import { maxExamples, maxTrainingBytes } from './training-source.ts'

/** As many and as much as a job can have. */
function largest(answer: string): Buffer {
  const content = Buffer.alloc(maxTrainingBytes, '\n')
  const [fixed, room] = [exampleLine('Question 10000?', answer).length + 1, Math.floor(maxTrainingBytes / maxExamples)]
  for (let index = 0, end = 0; index < maxExamples; index += 1) {
    end += content.write(`${exampleLine(`${answer} ${index}?${'x'.repeat(room - fixed)}`, answer)}\n`, end)
  }
  return content
}

function* readAll(): Generator<void, number> {
  const common = { method: 'supervised', maxSequenceLength: 8_192, onTooLong: 'drop', seed: 1 } as const
  const contents = { training: largest('Yes.'), validation: largest('No.') }
  const { training, validation } = yield* prepareData({ ...common, ...contents, countTokens: (text) => text.length })
  const copies = [yield* copyLines(training), yield* copyLines(validation)]
  for (const copy of copies) yield* sha256InSteps(copy)
  return training.lines.length + validation.lines.length
}

const stepsMs: number[] = []

/** The same steps, whose processor time is measured. */
function* measured<T>(steps: Generator<void, T>): Generator<void, T> {
  for (;;) {
    const before = process.threadCpuUsage()
    const step = steps.next()
    const { user, system } = process.threadCpuUsage(before)
    stepsMs.push((user + system) / 1_000)
    if (step.done === true) return step.value
    yield
  }
}

let peakBytes = 0
const timer = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
}, 10)
const examples = await createSlicedWork().run(measured(readAll()))
clearInterval(timer)
// The first step makes the data.
const longestMs = stepsMs.slice(1).reduce((longest, ms) => Math.max(longest, ms), 0)
process.stdout.write(JSON.stringify({ examples, peakBytes, longestMs }))
