//! The keys of the eyaml level that reads a file.

use std::sync::Arc;

use crate::backends::eyaml::edit;
use crate::backends::eyaml::pkcs7::Certificate;
use crate::backends::eyaml::{Decryption, Eyaml, LevelKeys};
use crate::config::hiera_yaml::FunctionKind;
use crate::config::path;
use crate::data::Hash;
use crate::ide::level_files::with_levels;
use crate::ide::perspective::Perspective;
use crate::world::World;

/// The keys for a file's secrets.
pub(super) struct FileKeys {
    /// The level's name.
    pub(super) level: Arc<str>,
    options: Arc<Hash>,
    config: Arc<str>,
}

/// A secret in the file on disk.
pub(super) struct Original {
    /// Its number in the file.
    pub(super) id: usize,
    /// In base64, on one line.
    pub(super) cipher: String,
    /// Its decrypted content.
    pub(super) plain: Arc<[u8]>,
}

impl FileKeys {
    /// `None` if no eyaml level of the active node's hierarchy can read the file.
    pub(super) fn of(world: &Arc<World>, file: &str) -> Option<Self> {
        let environment = world.environment_of(file)?;
        let reach = world.reach(&environment);
        let perspective = Perspective::of_file(world, file)?;
        reach.places_of(file).find_map(|place| {
            with_levels(&perspective, &place.config, |levels| {
                let level = levels.iter().find(|level| {
                    level.name == place.level
                        && level.function.kind == FunctionKind::LookupKey
                        && *level.function.loaded_name() == *"eyaml_lookup_key"
                })?;
                Some(Self {
                    level: level.name.clone(),
                    options: level.options.clone(),
                    config: place.config.clone(),
                })
            })
        })
    }

    /// The key for encryption, if it can be read.
    pub(super) fn certificate(&self, world: &World) -> Option<Certificate> {
        // Encryption needs only the public key, so it works without permission to decrypt.
        self.level_keys().certificate(&world.eyaml(Decryption::Off), world).ok()
    }

    /// Whether the user opted in, and the private key can be read.
    pub(super) fn can_decrypt(&self, world: &World) -> bool {
        world.reveals_secrets()
            && self.level_keys().are_readable(&world.eyaml(Decryption::AsPuppet), world)
    }

    /// The content of a message in base64, if the user opted in.
    pub(super) fn decrypted(&self, world: &World, message: &[u8]) -> Option<Arc<[u8]>> {
        let eyaml = decrypting(world)?;
        eyaml.decrypted_message(world, &self.level_keys(), message).ok()
    }

    /// The file's secrets before the edit; none if decryption is not allowed.
    pub(super) fn originals(&self, world: &World, file: &str) -> Vec<Original> {
        // The file on disk still has what the editor shows decrypted.
        let Some(text) = decrypting(world).and_then(|_| world.text_on_disk(file)) else {
            return Vec::new();
        };
        let parts = edit::encrypted_parts(&text);
        let original = |part: &edit::EncryptedPart<'_>| {
            let plain = self.decrypted(world, &part.message())?;
            Some(Original { id: part.id, cipher: part.cipher_without_blanks(), plain })
        };
        parts.iter().filter_map(original).collect()
    }

    fn level_keys(&self) -> LevelKeys<'_> {
        LevelKeys { options: &self.options, directory: path::parent(&self.config) }
    }
}

fn decrypting(world: &World) -> Option<Eyaml> {
    world.reveals_secrets().then(|| world.eyaml(Decryption::AsPuppet))
}
