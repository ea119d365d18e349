;;; hiera-ls.el --- Hiera data with eglot -*- lexical-binding: t; -*-

;; What docs/install/emacs.md shows; tests/editors/emacs runs it.

(require 'eglot)

;; Each for the modes that there are: yaml-ts-mode and json-ts-mode are part of Emacs 29.
(dolist (mode '(yaml-mode yaml-ts-mode json-mode json-ts-mode js-json-mode))
  (add-to-list 'eglot-server-programs (cons mode '("hiera-ls" "server"))))

(defun hiera-ls-root (directory)
  "The outermost directory at or above DIRECTORY with a hiera.yaml: modules have one, too."
  (let (root)
    (while (setq directory (locate-dominating-file directory "hiera.yaml"))
      (setq root directory
            directory (file-name-directory (directory-file-name directory))))
    root))

;; One server for the whole repository, also where it is no Git clone.
(add-hook 'project-find-functions
          (lambda (directory)
            (let ((root (hiera-ls-root directory))) (and root (cons 'transient root))))
          t)

(defun hiera-ls-maybe ()
  "Start hiera-ls where a directory above the file has a hiera.yaml."
  (when (and buffer-file-name (hiera-ls-root buffer-file-name))
    (eglot-ensure)))

(add-hook 'yaml-mode-hook #'hiera-ls-maybe)
(add-hook 'yaml-ts-mode-hook #'hiera-ls-maybe)

(defun hiera-ls-select-node (name)
  "Show the values that the node called NAME gets.
With no name, show each file for a node that reads it."
  (interactive
   (list (completing-read
          "Node (empty: one that reads the file): "
          (mapcar (lambda (node) (plist-get node :name))
                  (jsonrpc-request (eglot--current-server-or-lose) :hiera/nodes nil))
          nil t)))
  (jsonrpc-request (eglot--current-server-or-lose) :hiera/selectNode (list :name (unless (string-empty-p name) name)))
  (if (string-empty-p name)
      (message "Showing each file for a node that reads it")
    (message "Showing the values of %s" name)))

(provide 'hiera-ls)
;;; hiera-ls.el ends here
