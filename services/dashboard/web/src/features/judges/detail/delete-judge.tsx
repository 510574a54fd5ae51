import { Button, Text } from '@mantine/core'
import { type Criterion, deleteCriterion, listCriteria } from '@ratchet/contracts/criteria'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'

/** Deletes a judge. The server refuses it while an alias relies on the judge, and names the alias. */
export function DeleteJudge({ judge }: { readonly judge: Criterion }): ReactNode {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const [asks, setAsks] = useState(false)
  const act = useAct(deleteCriterion, {
    changes: [listCriteria],
    onDone: () => void navigate({ to: '/w/$slug/judges', params: { slug } }),
  })
  return (
    <NotPermitted reason={reasonAgainst('owner_admin', useWorkspace())}>
      {(disabled) => (
        <>
          <Button variant="subtle" color="red" disabled={disabled} onClick={() => setAsks(true)}>
            Delete
          </Button>
          <Confirm
            opened={asks}
            onClose={() => setAsks(false)}
            title={`Delete the judge ${judge.name}?`}
            verb="Delete"
            isRunning={act.isPending}
            error={act.error}
            onConfirm={() => act.mutate({ params: { id: judge.id } })}
          >
            <Text>Its calibrations, scans and verdicts are deleted too. The grades of people stay.</Text>
          </Confirm>
        </>
      )}
    </NotPermitted>
  )
}
