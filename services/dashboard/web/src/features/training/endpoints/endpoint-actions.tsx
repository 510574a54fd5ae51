import { Button } from '@mantine/core'
import {
  type DedicatedEndpoint,
  deleteDedicatedEndpoint,
  getDedicatedEndpoint,
  listDedicatedEndpoints,
  listDedicatedEvents,
  startDedicatedEndpoint,
  stopDedicatedEndpoint,
} from '@ratchet/contracts/dedicated'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { toast } from '../../../kit/toast.tsx'
import { ActButtons, type ActQuestion, AskedAct, useAskedAct } from '../asked-act.tsx'
import { ChangeEndpoint } from './change-endpoint.tsx'
import { actsOn, type EndpointAct } from './endpoint-words.ts'

const changes = [getDedicatedEndpoint, listDedicatedEndpoints, listDedicatedEvents]
const buttons: Record<EndpointAct, string> = { start: 'Start', stop: 'Stop', delete: 'Delete' }

const questions: Record<EndpointAct, ActQuestion> = {
  start: [
    'Start this endpoint?',
    'Start it',
    'Its replicas start, and are charged by the second once they are ready. The wallet must cover an hour of all of them.',
  ],
  stop: [
    'Stop this endpoint?',
    'Stop it',
    'Requests that run are finished. Later ones are refused until it is started again.',
  ],
  delete: [
    'Delete this endpoint?',
    'Delete it',
    'Requests to it are refused from now on, and those that run are finished. Its name is never given to another endpoint.',
  ],
}

/** Start, stop, change and delete. */
export function EndpointActions({ endpoint }: { readonly endpoint: DedicatedEndpoint }): ReactNode {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const [isChanging, setIsChanging] = useState(false)
  const { asked, ask, doneWith, close } = useAskedAct<EndpointAct>()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const onDeleted = () => {
    toast('The endpoint is deleted.')
    void navigate({ to: '/w/$slug/training/endpoints', params: { slug } })
  }
  const acts = {
    start: useAct(startDedicatedEndpoint, { changes, onDone: doneWith('The endpoint starts.') }),
    stop: useAct(stopDedicatedEndpoint, { changes, onDone: doneWith('The endpoint stops.') }),
    delete: useAct(deleteDedicatedEndpoint, { changes: [listDedicatedEndpoints], onDone: onDeleted }),
  }
  const shown = actsOn(endpoint)
  if (shown.length === 0) return null
  return (
    <>
      <Button variant="default" disabled={reason !== null} onClick={() => setIsChanging(true)}>
        Change
      </Button>
      <ActButtons shown={shown} buttons={buttons} reason={reason} onAsk={(act) => ask(acts, act)} />
      <AskedAct asked={asked} acts={acts} questions={questions} id={endpoint.id} onClose={close} />
      {isChanging && <ChangeEndpoint endpoint={endpoint} onClose={() => setIsChanging(false)} />}
    </>
  )
}
