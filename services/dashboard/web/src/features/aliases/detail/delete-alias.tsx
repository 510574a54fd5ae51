import { Button, Text } from '@mantine/core'
import { type Alias, deleteAlias, listAliases } from '@ratchet/contracts/aliases'
import { listAliasAudit } from '@ratchet/contracts/session-aliases'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'

/** Deletes the version that is on screen. Applications that name the alias fail from then on, so its name is typed first. */
export function DeleteAlias({ alias: { name, version } }: { readonly alias: Alias }): ReactNode {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const [asks, setAsks] = useState(false)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const act = useAct(deleteAlias, {
    changes: [listAliases, listAliasAudit],
    onDone: () => void navigate({ to: '/w/$slug/aliases', params: { slug } }),
  })
  return (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <>
          <Button variant="subtle" color="red" disabled={disabled} onClick={() => setAsks(true)}>
            Delete
          </Button>
          <Confirm
            opened={asks}
            onClose={() => setAsks(false)}
            title={`Delete the alias ${name}?`}
            verb="Delete"
            typed={name}
            isRunning={act.isPending}
            error={act.error}
            onConfirm={() => act.mutate({ params: { name }, ifMatch: version })}
          >
            <Text>
              Requests that name it are answered with model_not_found. Its changes stay in the audit; what its gate
              found is deleted.
            </Text>
          </Confirm>
        </>
      )}
    </NotPermitted>
  )
}
