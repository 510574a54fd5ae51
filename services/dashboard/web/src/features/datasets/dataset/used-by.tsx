import { listEvals } from '@ratchet/contracts/evals'
import { listFineTuningJobs } from '@ratchet/contracts/fine-tuning'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Card } from '../../../kit/page.tsx'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'
import { type DatasetUse, evalsOf, jobsOf } from './dataset-uses.ts'

const newest = 200

/** The evals and training jobs that took a dataset. Only owners and admins may read training. */
export function UsedBy({ id, slug }: { readonly id: string; readonly slug: string }): ReactNode {
  const mayReadJobs = reasonAgainst('owner_admin', useWorkspace()) === null
  const evals = useEndpoint(listEvals, { query: { limit: newest } })
  const jobs = useEndpoint(listFineTuningJobs, { query: { limit: newest } }, { enabled: mayReadJobs })
  const uses = [
    ...evalsOf(evals.data?.data ?? [], id),
    ...jobsOf(Array.isArray(jobs.data) ? jobs.data : (jobs.data?.data ?? []), id),
  ]
  const isRead = evals.data !== undefined && (!mayReadJobs || jobs.data !== undefined)
  return (
    <Card title="Used by">
      <FailedReads of={[evals, jobs]} />
      {isRead && uses.length === 0 && (
        <p className="dimmed">
          None of the newest {newest} evals{mayReadJobs ? ' and training jobs' : ''} took it.
        </p>
      )}
      {uses.length > 0 && (
        <ul style={{ margin: 0, paddingLeft: 18 }}>
          {uses.map((use) => (
            <li key={use.id}>
              <UseLink use={use} slug={slug} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function UseLink({ use: { kind, id, name }, slug }: { readonly use: DatasetUse; readonly slug: string }): ReactNode {
  if (kind === 'eval') {
    return (
      <Link to="/w/$slug/evals/$id" params={{ slug, id }} search={{}}>
        Eval {name}
      </Link>
    )
  }
  return (
    <Link to="/w/$slug/training/jobs/$id" params={{ slug, id }}>
      Training job {name}
    </Link>
  )
}
