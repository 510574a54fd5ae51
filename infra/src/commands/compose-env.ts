import { newComposeSecrets } from '../fleet/new-secrets.ts'

/* Prints the secrets that docker-compose.yml and k8s/ need: `npm run --silent compose:env > .env`. */
for (const [name, value] of Object.entries(newComposeSecrets())) console.log(`${name}=${value}`)
