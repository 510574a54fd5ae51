import type { Identity } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { readProgress } from './read-progress.ts'

const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const grades = { total: 20, needed_to_calibrate: 0 }
const judges = { total: 2, calibrated: 1, trustworthy: 1, fail_grades_needed: 0 }

/** A service that answers every call, of this workspace, with the same. */
function answering(reply: object | Error): Pick<FleetClient, 'call'> {
  const call = async (_endpoint: unknown, _input: unknown, identity: Identity) => {
    expect(identity.workspaceId).toBe(workspaceId)
    if (reply instanceof Error) throw reply
    return reply
  }
  return { call: call as FleetClient['call'] }
}

const reported = {
  judging: answering({ grades, judges }),
  eval: answering({ evals: 3 }),
  alias: answering({ aliases: 2 }),
}
const away = answering(new FleetCallError('nobody is there', { status: 0 }))

describe('how far a workspace is', () => {
  it('is what judging, eval and alias tell', async () => {
    expect(await readProgress(reported, workspaceId)).toEqual({ grades, judges, evals: 3, aliases: 2 })
  })

  it.each([
    ['there is no judge', { ...judges, total: 0, calibrated: 0, trustworthy: 0 }],
    ['none is calibrated', { ...judges, calibrated: 0, trustworthy: 0 }],
    ['fails are to be graded', { ...judges, trustworthy: 0, fail_grades_needed: 7 }],
  ])('asks nobody about evals and aliases while %s', async (_what, judges) => {
    const fleet = { judging: answering({ grades, judges }), eval: away, alias: away }
    expect(await readProgress(fleet, workspaceId)).toEqual({ grades, judges, evals: 0, aliases: 0 })
  })

  it('asks nobody about aliases while there is no eval', async () => {
    const fleet = { ...reported, eval: answering({ evals: 0 }), alias: away }
    expect(await readProgress(fleet, workspaceId)).toEqual({ grades, judges, evals: 0, aliases: 0 })
  })

  it('is not known while one of them is away', async () => {
    for (const fleet of [
      { ...reported, judging: away },
      { ...reported, eval: away },
      { ...reported, alias: away },
    ]) {
      await expect(readProgress(fleet, workspaceId)).rejects.toMatchObject({ code: 'service_unavailable' })
    }
  })
})
