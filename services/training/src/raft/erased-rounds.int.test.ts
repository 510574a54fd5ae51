import { randomUUID } from 'node:crypto'
import { trainingRooms } from '../erasure/pg-erasure-rooms.ts'
import { type RoundRun, roundRun } from './round-run.fixture.ts'

let run: RoundRun
beforeAll(async () => {
  run = await roundRun()
})
afterAll(() => run.drop())

const promptOf = (content: string) => ({ messages: [{ role: 'user', content }], tools: null, reference: null })
const prompts = (name: string) => Array.from({ length: 3 }, (_, index) => promptOf(`${name} asks ${index}`))

async function erasureOf(workspaceId: string) {
  const erasure = {
    id: randomUUID(),
    workspaceId,
    kind: 'end_user' as const,
    person: 'ann-1842',
    personId: randomUUID(),
    pseudonym: randomUUID(),
    pass: 1,
  }
  await run.operator.query("INSERT INTO workspace VALUES ($1, $2, 'W', now()) ON CONFLICT DO NOTHING", [
    workspaceId,
    `w-${workspaceId}`,
  ])
  await run.operator.query(
    `INSERT INTO person_erasure (id, workspace_id, kind, person, person_id, needle, pseudonym, state, pass, requested_at)
     VALUES ($1, $2, 'end_user', 'ann-1842', $3, '"ann-1842"', $4, 'finding', 1, now())`,
    [erasure.id, workspaceId, erasure.personId, erasure.pseudonym],
  )
  return erasure
}

it('finds rounds with prompts of the log that a person has asked, and no others', async () => {
  const ofPerson = await run.create({ sourceDatasetId: null, train: prompts('Ann') })
  const { workspaceId } = ofPerson
  const ofOthers = await run.create({
    workspaceId,
    sourceDatasetId: null,
    train: prompts('Bob'),
    heldOut: prompts('Eve'),
  })
  const erasure = await erasureOf(workspaceId)
  const asked = JSON.stringify([{ role: 'user', content: 'Ann asks 1' }])
  const text = "INSERT INTO erasure_reference (erasure_id, kind, value) VALUES ($1, 'prompt', prompt_digest($2))"
  await run.operator.query(text, [erasure.id, asked])
  await trainingRooms(run.operator).find(erasure)
  const found = await run.operator.query("SELECT value FROM erasure_reference WHERE erasure_id = $1 AND kind = 'run'", [
    erasure.id,
  ])
  expect(found.rows.map(({ value }) => value)).toEqual([ofPerson.id])
  expect(found.rows.map(({ value }) => value)).not.toContain(ofOthers.id)
})
