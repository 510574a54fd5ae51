import { Button } from '@mantine/core'
import { createMyAgent, listMyAgents } from '@ratchet/contracts/session-voice'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { AboveList } from '../../../kit/above.tsx'
import { Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'
import { AgentFormParts } from './agent-form.tsx'
import { AgentForm, newAgentValues } from './agent-values.ts'

/** A new agent, whose first version calls use at once. */
export function NewAgentPage(): ReactNode {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const form = useContractForm(AgentForm, newAgentValues)
  const act = useAct(createMyAgent, {
    changes: [listMyAgents],
    onDone: ({ id }) => void navigate({ to: '/w/$slug/voice/agents/$id', params: { slug, id }, search: {} }),
  })
  const create = () =>
    act.mutate({ body: AgentForm.parse(form.values) }, { onError: (error) => showErrorAt(form, error) })
  return (
    <Page
      title="New voice agent"
      lead="It holds calls of telephones and browsers. You call it from its page when it is created."
      above={<AboveList of="voice" />}
    >
      <AgentFormParts form={form} onSubmit={create}>
        {act.error && <ErrorState error={act.error} />}
        <div>
          <NotPermitted reason={reason}>
            {(disabled) => (
              <Button type="submit" disabled={disabled} loading={act.isPending}>
                Create the agent
              </Button>
            )}
          </NotPermitted>
        </div>
      </AgentFormParts>
    </Page>
  )
}
