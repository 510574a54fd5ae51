import { Button, Text } from '@mantine/core'
import { deleteMyAgent, listMyAgents } from '@ratchet/contracts/session-voice'
import type { Agent } from '@ratchet/contracts/voice/agents'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { toast } from '../../../kit/toast.tsx'

/** Change and delete. */
export function AgentActions({ agent: { id, name } }: { readonly agent: Agent }): ReactNode {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const [isAsked, setIsAsked] = useState(false)
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const act = useAct(deleteMyAgent, {
    changes: [listMyAgents],
    onDone: () => {
      toast(`${name} is deleted.`)
      void navigate({ to: '/w/$slug/voice', params: { slug } })
    },
  })
  return (
    <NotPermitted reason={reason}>
      {(disabled) => (
        <>
          <Button
            variant="default"
            disabled={disabled}
            onClick={() => void navigate({ to: '/w/$slug/voice/agents/$id/change', params: { slug, id } })}
          >
            Change
          </Button>
          <Button variant="default" disabled={disabled} onClick={() => setIsAsked(true)}>
            Delete
          </Button>
          <Confirm
            opened={isAsked}
            onClose={() => setIsAsked(false)}
            title={`Delete ${name}?`}
            verb="Delete it"
            isRunning={act.isPending}
            error={act.error}
            onConfirm={() => act.mutate({ params: { id } })}
          >
            <Text>Nobody can call it any more. Its calls stay, with the versions that they used.</Text>
          </Confirm>
        </>
      )}
    </NotPermitted>
  )
}
