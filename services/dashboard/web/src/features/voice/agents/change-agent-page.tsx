import { Button } from '@mantine/core'
import { getMyAgent, listMyAgents, listMyAgentVersions, updateMyAgent } from '@ratchet/contracts/session-voice'
import type { Agent } from '@ratchet/contracts/voice/agents'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { Above } from '../../../kit/above.tsx'
import { Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { toast } from '../../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'
import styles from '../voice.module.css'
import { AgentFormParts } from './agent-form.tsx'
import { AgentForm, agentChanges, agentValues } from './agent-values.ts'

const route = getRouteApi('/w/$slug/voice/agents/$id/change')

/** Another version of an agent, published or as a draft. */
export function ChangeAgentPage(): ReactNode {
  const { slug, id } = route.useParams()
  const found = useEndpoint(getMyAgent, { params: { id } })
  return (
    <Page
      title={found.data === undefined ? 'Change the agent' : `Change ${found.data.name}`}
      lead="Each change makes a version; earlier ones stay, and can be published again."
      above={
        <Above>
          <Link to="/w/$slug/voice/agents/$id" params={{ slug, id }} search={{}}>
            {found.data?.name ?? 'Voice agent'}
          </Link>
        </Above>
      }
    >
      <Loaded query={found}>{(agent) => <ChangeForm key={agent.version} agent={agent} slug={slug} />}</Loaded>
    </Page>
  )
}

function ChangeForm({ agent, slug }: { readonly agent: Agent; readonly slug: string }): ReactNode {
  const navigate = useNavigate()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const form = useContractForm(AgentForm, agentValues(agent))
  const act = useAct(updateMyAgent, {
    changes: [getMyAgent, listMyAgents, listMyAgentVersions],
    onDone: ({ id, version, published_version: published }) => {
      toast(published === version ? `Calls use version ${version} now.` : `Version ${version} is a draft.`)
      void navigate({ to: '/w/$slug/voice/agents/$id', params: { slug, id }, search: {} })
    },
  })
  const save = (publish: boolean) => {
    const changes = agentChanges(agent, form.values)
    if (changes === null) return
    const input = { params: { id: agent.id }, body: { ...changes, publish }, ifMatch: agent.version }
    act.mutate(input, { onError: (error) => showErrorAt(form, error) })
  }
  const keepDraft = () => {
    if (!form.validate().hasErrors) save(false)
  }
  const isSame = !form.isDirty()
  return (
    <AgentFormParts form={form} onSubmit={() => save(true)}>
      {act.error && <ErrorState error={act.error} />}
      <NotPermitted reason={reason}>
        {(disabled) => (
          <div className={styles.buttons}>
            <Button type="submit" disabled={disabled || isSame} loading={act.isPending}>
              Save and publish
            </Button>
            <Button variant="default" disabled={disabled || isSame || act.isPending} onClick={keepDraft}>
              Save as a draft
            </Button>
          </div>
        )}
      </NotPermitted>
    </AgentFormParts>
  )
}
