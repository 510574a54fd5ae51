import type { Identity } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { readProgress } from './read-progress.ts'
import { noProgress } from './setup-status.ts'

const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const grades = { total: 20, needed_to_calibrate: 0 }
const work = { seconds_per_grade: 8, usd_per_verdict: 0.001, drawn_grades: 20, fail_share: 0.2 }
const judges = { ...noProgress.judges, total: 2, calibrated: 1, trustworthy: 1 }

/** A service that gives the same answer to every call for this workspace. */
function answering(reply: object | Error): Pick<FleetClient, 'call'> {
  const call = async (_endpoint: unknown, _input: unknown, identity: Identity) => {
    expect(identity.workspaceId).toBe(workspaceId)
    if (reply instanceof Error) throw reply
    return reply
  }
  return { call: call as FleetClient['call'] }
}

const reported = {
  judging: answering({ grades, judges, work }),
  eval: answering({ evals: 3, samples_needed: 140 }),
  alias: answering({ aliases: 2 }),
}
const unavailable = answering(new FleetCallError('connection refused', { status: 0 }))

describe('readProgress', () => {
  it('combines the answers of judging, eval and alias', async () => {
    expect(await readProgress(reported, workspaceId)).toEqual({
      grades,
      judges,
      work,
      evals: 3,
      evalSamples: 140,
      aliases: 2,
    })
  })

  it.each([
    ['there is no judge', { ...judges, total: 0, calibrated: 0, trustworthy: 0 }],
    ['none is calibrated', { ...judges, calibrated: 0, trustworthy: 0 }],
    ['failed exchanges wait for grades', { ...judges, trustworthy: 0, fail_grades_needed: 7 }],
  ])('does not call eval and alias while %s', async (_what, judges) => {
    const fleet = { judging: answering({ grades, judges, work }), eval: unavailable, alias: unavailable }
    expect(await readProgress(fleet, workspaceId)).toEqual({ ...noProgress, grades, judges, work })
  })

  it('does not call alias while there is no eval', async () => {
    const fleet = { ...reported, eval: answering({ evals: 0, samples_needed: 140 }), alias: unavailable }
    expect(await readProgress(fleet, workspaceId)).toEqual({ ...noProgress, grades, judges, work, evalSamples: 140 })
  })

  it('throws while one of them is unavailable', async () => {
    for (const fleet of [
      { ...reported, judging: unavailable },
      { ...reported, eval: unavailable },
      { ...reported, alias: unavailable },
    ]) {
      await expect(readProgress(fleet, workspaceId)).rejects.toMatchObject({ code: 'service_unavailable' })
    }
  })
})
