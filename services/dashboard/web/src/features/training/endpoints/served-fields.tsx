import { Select, TextInput } from '@mantine/core'
import type { DedicatedHardware } from '@ratchet/contracts/dedicated'
import { listTrainableModels } from '@ratchet/contracts/fine-tuning-models'
import type { ModelVersion } from '@ratchet/contracts/model-versions'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { FailedReads } from '../../../kit/states/failed-reads.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import styles from '../training.module.css'
import { versionTitle } from '../versions/version-words.ts'
import type { EndpointValues } from './endpoint-values.ts'
import { hardwareText } from './hardware-text.ts'

interface ServedFieldsProps {
  readonly values: EndpointValues
  readonly change: (changed: Partial<EndpointValues>) => void
  readonly errorAt: (field: string) => string | undefined
  readonly versions: Parameters<typeof FailedReads>[0]['of'][number] & { readonly rows: readonly ModelVersion[] }
  readonly hardware: UseQueryResult<DedicatedHardware[]>
}

/** What is served, on which machines, and its name. */
export function ServedFields(props: ServedFieldsProps): ReactNode {
  const { values, change, errorAt, versions, hardware } = props
  const models = useEndpoint(listTrainableModels)
  const served = versions.rows.filter(
    ({ adapter, status }) => adapter !== null && !['rejected', 'archived'].includes(status),
  )
  const field = (key: 'model' | 'versionId' | 'hardware', path: string, others: Partial<EndpointValues> = {}) => ({
    value: values[key] === '' ? null : values[key],
    error: errorAt(path),
    searchable: true,
    comboboxProps: { withinPortal: false },
    onChange: (chosen: string | null) => change({ [key]: chosen ?? '', ...others }),
  })
  return (
    <div className={styles.parts}>
      <FailedReads of={[models, versions, hardware]} />
      {hardware.data?.length === 0 && (
        <Notice state="none">
          This installation has no machines for endpoints. Its operator offers them in the settings of the service.
        </Notice>
      )}
      <div className={styles.fields}>
        <Select
          label="Model"
          nothingFoundMessage="This installation has no weights of such a model."
          data={(models.data ?? []).map(({ id }) => id)}
          {...field('model', 'model', { versionId: '' })}
        />
        <Select
          label="Or a version of one"
          description="A model that was trained here: its base is served with what it learned."
          clearable
          clearButtonProps={{ 'aria-label': 'No version' }}
          nothingFoundMessage="No version has an adapter."
          data={served.map((version) => ({ value: version.id, label: versionTitle(version) }))}
          {...field('versionId', 'modelVersionId', { model: '' })}
        />
        <Select
          label="Hardware"
          description="What one replica runs on."
          data={(hardware.data ?? []).map((each) => ({
            value: each.id,
            label: hardwareText(each),
            disabled: each.fits === false || each.availability === 'none',
          }))}
          {...field('hardware', 'hardware')}
        />
        <TextInput
          label="Name"
          description="Requests name a word that is made from it."
          maxLength={64}
          value={values.name}
          error={errorAt('name')}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      </div>
    </div>
  )
}
