import { getModelVersion, getVersionLineage, listModelVersions } from '@ratchet/contracts/model-versions'

/** What an action on a version changes. */
export const versionChanges = [getModelVersion, listModelVersions, getVersionLineage]
