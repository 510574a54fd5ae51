import { createLabels } from '@ratchet/contracts/labels'
import { type GradeCandidate, nextToGrade } from '@ratchet/contracts/scans'
import { type Command, Option } from 'commander'
import type { Answer } from '../answer.ts'
import type { Api } from '../api/api-client.ts'
import type { ApiCommands, ApiDeps } from '../api/api-commands.ts'
import { parsePageLimit } from '../api/page-limit.ts'
import { CliError } from '../cli-error.ts'
import { parseCriterionId } from '../judge/judge-id.ts'
import { askForGrade, candidateText, type GivenGrade } from './grade-items.ts'

interface Options {
  readonly limit: string
  readonly strategy: string
}

/** `ratchet grade`: a person grades exchanges one after the other, with one key each. */
export function gradeCommand({ group, run }: ApiCommands): void {
  const command: Command = group
    .description('Grade answers with one key each, without seeing any verdict. That measures a judge.')
    .argument('<criterion>', 'the id of the judge', parseCriterionId)
    .option('--limit <count>', 'maximum number', parsePageLimit, '200')
  command
    .addOption(
      new Option('--strategy <strategy>', 'how exchanges are chosen')
        .choices(['random', 'balanced', 'disagreement', 'plan'])
        .default('random'),
    )
    .action((id: string, options: Options) => run((deps) => work(deps, id, options)))
}

/** Grades are sent in groups: few enough to lose little, many enough for the abuse guard. */
const groupSize = 10
/** The most that the API lists at a time. */
const pageSize = 50

async function work({ io, connect }: ApiDeps, criterion: string, { limit, strategy }: Options): Promise<Answer> {
  const api = await connect()
  const session = new GradingSession(api, criterion)
  const keys = io.keys()
  try {
    await gradeAll(Number(limit), {
      list: async (count) => listOf(api, { criterion, strategy, count }),
      show: (candidate, place) => io.stderr(candidateText(candidate, place)),
      ask: (logId) => askForGrade(keys, logId, io.stderr),
      save: (grade) => session.add(grade),
    })
  } finally {
    keys.close()
    await session.flush()
  }
  const { passes, fails } = session
  const text = `graded ${passes + fails}: ${passes} pass, ${fails} fail`
  const note = `\`ratchet judge plan ${criterion}\` says how many more are needed.`
  return { json: { criterion_id: criterion, graded: passes + fails, passes, fails }, text, note }
}

interface Grading {
  readonly list: (count: number) => Promise<readonly GradeCandidate[]>
  readonly show: (candidate: GradeCandidate, place: string) => void
  readonly ask: (logId: string) => Promise<GivenGrade | 'skipped' | null>
  readonly save: (grade: GivenGrade) => Promise<void>
}

/** Grades what the API lists, until nothing new is listed, the maximum is reached, or the person ends. */
async function gradeAll(max: number, { list, show, ask, save }: Grading): Promise<void> {
  const seen = new Set<string>()
  for (let graded = 0; graded < max; ) {
    const candidates = (await list(Math.min(pageSize, max - graded + seen.size))).filter(
      ({ log_id: id }) => id !== null && !seen.has(id),
    )
    if (candidates.length === 0) return
    for (const candidate of candidates.slice(0, max - graded)) {
      const id = candidate.log_id ?? ''
      seen.add(id)
      show(candidate, `${graded + 1} of at most ${max}`)
      const grade = await ask(id)
      if (grade === null) return
      if (grade === 'skipped') continue
      await save(grade)
      graded += 1
    }
  }
}

interface Listing {
  readonly criterion: string
  readonly strategy: string
  readonly count: number
}

async function listOf(api: Api, { criterion, strategy, count }: Listing): Promise<readonly GradeCandidate[]> {
  const query = { limit: Math.min(count, pageSize), strategy }
  const { value } = await api.call(nextToGrade, { params: { id: criterion }, query })
  if (value.data.some(({ log_id: id }) => id === null)) {
    throw new CliError('this judge judges runs, which are graded in the dashboard')
  }
  return value.data
}

/** The grades of one sitting. */
class GradingSession {
  readonly #api: Api
  readonly #criterion: string
  #waiting: GivenGrade[] = []
  passes = 0
  fails = 0

  constructor(api: Api, criterion: string) {
    this.#api = api
    this.#criterion = criterion
  }

  async add(grade: GivenGrade): Promise<void> {
    this.#waiting.push(grade)
    if (this.#waiting.length >= groupSize) await this.flush()
  }

  /** @throws CliError when a grade was refused */
  async flush(): Promise<void> {
    const sent = [...this.#waiting]
    if (sent.length === 0) return
    const labels = sent.map(({ logId, label, rationale }) => ({
      log_id: logId,
      criterion_id: this.#criterion,
      label,
      blind: true,
      ...(rationale === null ? {} : { rationale }),
    }))
    // What may not have arrived stays, and is sent once more at the end: the same grade twice counts once.
    const { value } = await this.#api.call(createLabels, { body: { labels } })
    this.#waiting = this.#waiting.slice(sent.length)
    if (value.object !== 'list') throw new CliError('the grades were answered with a single one')
    for (const { label } of value.data) {
      if (label === 'pass') this.passes += 1
      else this.fails += 1
    }
    const [refused] = value.rejected
    if (refused !== undefined) throw new CliError(`${value.rejected.length} grades were refused: ${refused.message}`)
  }
}
