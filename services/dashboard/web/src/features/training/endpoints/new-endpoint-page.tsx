import { Button } from '@mantine/core'
import { createDedicatedEndpoint, listDedicatedEndpoints, listDedicatedHardware } from '@ratchet/contracts/dedicated'
import { listModelVersions } from '@ratchet/contracts/model-versions'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiError } from '../../../api/api-error.ts'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint, useList } from '../../../api/use-endpoint.ts'
import { useKey } from '../../../keys/key-context.ts'
import { AboveList } from '../../../kit/above.tsx'
import { Card, Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import styles from '../training.module.css'
import { bodyOf, type EndpointValues, missingText, newEndpointValues, wrongScaleText } from './endpoint-values.ts'
import { HourEstimate } from './hour-estimate.tsx'
import { ScaleFields } from './scale-fields.tsx'
import { ServedFields } from './served-fields.tsx'

const route = getRouteApi('/w/$slug/training/endpoints/new')

/** A new endpoint, with what an hour of it costs before it is created. */
export function NewEndpointPage(): ReactNode {
  const { slug } = route.useParams()
  const { version_id: versionId = '' } = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/training/endpoints/new' })
  const [values, setValues] = useState<EndpointValues>({ ...newEndpointValues, versionId })
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const versions = useList(listModelVersions, { enabled: reason === null })
  const base = values.model || versions.rows.find(({ id }) => id === values.versionId)?.base_model
  const hardware = useEndpoint(listDedicatedHardware, base === undefined ? {} : { query: { model: base } })
  const chosen = hardware.data?.find(({ id }) => id === values.hardware)
  const act = useAct(createDedicatedEndpoint, {
    changes: [listDedicatedEndpoints],
    onDone: ({ id }) => void navigate({ to: '/w/$slug/training/endpoints/$id', params: { slug, id }, search: {} }),
  })
  const change = (changed: Partial<EndpointValues>) => {
    if (!act.isPending) act.reset()
    setValues((before) => ({ ...before, ...changed }))
  }
  const body = bodyOf(values)
  const mayCreate = reason === null && body !== null && chosen !== undefined && !act.isPending
  const create = () => {
    if (body !== null && mayCreate) act.mutate({ body })
  }
  useKey('submit', create, { enabled: mayCreate })
  const errorAt = (field: string) =>
    act.error instanceof ApiError && act.error.param === field ? act.error.message : undefined
  const wrong = wrongScaleText(values)
  return (
    <Page
      title="New endpoint"
      lead="Replicas of a model that answer only this workspace. What an hour costs is shown before it is created."
      above={<AboveList of="training/endpoints" />}
    >
      <div className={styles.parts}>
        <Card title="1. Model and hardware">
          <ServedFields values={values} change={change} errorAt={errorAt} versions={versions} hardware={hardware} />
        </Card>
        <Card title="2. Replicas and cost">
          <div className={styles.parts}>
            <ScaleFields values={values} change={change} errorAt={errorAt} />
            {chosen === undefined ? (
              <p className="dimmed">Choose the hardware to see what an hour costs.</p>
            ) : (
              wrong === null && <HourEstimate values={values} priceUsdPerHour={chosen.price_usd_per_hour} />
            )}
          </div>
        </Card>
        {act.error !== null && <ErrorState error={act.error} />}
        <div>
          <NotPermitted reason={reason ?? missingText(values)}>
            {(disabled) => (
              <Button disabled={disabled || !mayCreate} loading={act.isPending} onClick={create}>
                Create the endpoint
              </Button>
            )}
          </NotPermitted>
        </div>
      </div>
    </Page>
  )
}
