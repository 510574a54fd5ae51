import { getGrpoAudit, getGrpoGuard } from '@ratchet/contracts/grpo-progress'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { CopyText } from '../../../kit/copy-text.tsx'
import { count } from '../../../kit/numbers.ts'
import { Page } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { AuditPart } from '../audit/audit-part.tsx'
import { AboveRun } from './above-run.tsx'

const route = getRouteApi('/w/$slug/training/runs/$id/audit')
const changes = [getGrpoAudit, getGrpoGuard]

/** Grades the answers that the reward likes best. */
export function AuditPage(): ReactNode {
  const { id } = route.useParams()
  const { step } = route.useSearch() as { step?: string }
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const query = step === undefined ? {} : { step }
  const audit = useEndpoint(getGrpoAudit, { params: { id }, query }, { enabled: reason === null })
  return (
    <Page title="Audit" lead={<CopyText text={id} label="Copy the id of the run" />} above={<AboveRun id={id} />}>
      {reason === null ? (
        <Loaded query={audit}>
          {(found) => (
            <AuditPart
              key={found.step}
              audit={found}
              about={`These are the answers of the look at step ${count(found.step)} that the reward likes best. An answer that you fail is a false pass: the reward is wrong about it.`}
              empty="No look of the run was judged yet, so there is nothing to grade."
              changes={changes}
            />
          )}
        </Loaded>
      ) : (
        <Notice state="none">{reason}</Notice>
      )}
    </Page>
  )
}
