import { getRaftAudit } from '@ratchet/contracts/raft'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Above } from '../../../kit/above.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Page } from '../../../kit/page.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { AuditPart } from '../audit/audit-part.tsx'

const route = getRouteApi('/w/$slug/training/raft/$id/audit')
const changes = [getRaftAudit]

/** Grades answers that a round trained on. */
export function RoundAuditPage(): ReactNode {
  const { id } = route.useParams()
  const slug = useWorkspaceSlug()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const audit = useEndpoint(getRaftAudit, { params: { id } }, { enabled: reason === null })
  const above = (
    <Above>
      <Link to="/w/$slug/training/raft/$id" params={{ slug, id }}>
        RAFT round
      </Link>
    </Above>
  )
  return (
    <Page title="Audit" lead={<CopyText text={id} label="Copy the id of the round" />} above={above}>
      {reason === null ? (
        <Loaded query={audit}>
          {(found) => (
            <AuditPart
              audit={found}
              about="These are answers that the judges accepted and the round trained on. An answer that you fail is a false pass: the judges are wrong about it. The version can be adopted, and a chain goes on after three rounds, when 30 are graded and at most 2 of them failed."
              empty="The round has not trained on any answer, so there is nothing to grade."
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
